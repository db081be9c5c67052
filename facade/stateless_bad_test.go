package facade

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"anvil/facade/state"
	"anvil/wire"
)

// What a request of the stateless era says twice, or in words that read alike, is refused: the client, the progress token and the answers to questions are decided on.
func TestTwofoldRequestsOfTheStatelessEra(t *testing.T) {
	u := modernUpstream(t, nil)
	f, _ := modernFacade(t, u, Options{})
	web := newWeb(t, f)
	link, _ := connect(t, f)
	frame := modern("1", methodCall, `"name":"add"`)
	for name, bad := range map[string]string{
		"_meta twice":           strings.Replace(frame, `"name":"add",`, `"name":"add","_meta":{"progressToken":1},`, 1),
		"_meta in other case":   strings.Replace(frame, `"name":"add",`, `"name":"add","_META":{"progressToken":1},`, 1),
		"_meta with an escape":  strings.Replace(frame, `"name":"add",`, `"name":"add","\u005fmeta":{"progressToken":1},`, 1),
		"a token twice":         strings.Replace(frame, `"_meta":{`, `"_meta":{"progressToken":1,"progressToken":2,`, 1),
		"capabilities twice":    strings.Replace(frame, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},`, 1),
		"requestState twice":    strings.Replace(frame, `"name":"add",`, `"name":"add","requestState":"a","requestState":"b",`, 1),
		"requestState, alike":   strings.Replace(frame, `"name":"add",`, `"name":"add","requeststate":"a",`, 1),
		"inputResponses, twice": strings.Replace(frame, `"name":"add",`, `"name":"add","inputResponses":{},"inputResponses":{},`, 1),
		"arguments, in depth":   strings.Replace(frame, `"name":"add",`, `"name":"add","arguments":{"a":{"b":[{"c":1,"c":2}]}},`, 1),
	} {
		if bad == frame {
			t.Fatal(name)
		}
		if status, got := web.modernAsk(bad, nil); !strings.Contains(got, ambiguousMessage) || !strings.Contains(got, `"id":1`) {
			t.Errorf("%s over HTTP: %d %s", name, status, got)
		}
		if got := link.ask(bad); !strings.Contains(got, ambiguousMessage) || !strings.Contains(got, `"id":1`) {
			t.Errorf("%s on a link: %s", name, got)
		}
	}
	for _, s := range u.all {
		if s.sawMethod(methodCall) {
			t.Error("the upstream was called")
		}
	}
}

// Posts that no client of the stateless era makes are refused, and reach nobody.
func TestHostilePostsOfTheStatelessEra(t *testing.T) {
	noLeak(t)
	u := modernUpstream(t, nil)
	f, _ := modernFacade(t, u, Options{Limits: Limits{Body: 10_000}})
	c := newWeb(t, f)
	head := func(method string, more ...string) func(http.Header) {
		return func(h http.Header) {
			h.Set(headerVersion, "2026-07-28")
			h.Set(headerMethod, method)
			for i := 0; i < len(more); i += 2 {
				h.Add(more[i], more[i+1])
			}
		}
	}
	call := modern("1", methodCall, `"name":"add"`)
	for _, tt := range []struct {
		name, body string
		change     func(http.Header)
		status     int
		want       string
	}{
		{"bad JSON", `{"jsonrpc"`, head(methodCall), 400, "-32700"},
		{"a batch", "[" + call + "]", head(methodCall), 400, "batches are not supported"},
		{"large", strings.Replace(call, `"name"`, `"x":"`+strings.Repeat("x", 10_000)+`","name"`, 1), head(methodCall, headerName, "add"), 413, "larger than the limit"},
		{"another type", call, head(methodCall, headerName, "add", "Content-Type", "text/plain"), 415, typeJSON},
		{"a reply", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`, head(""), 400, "no reply is expected"},
		{"an error", `{"jsonrpc":"2.0","id":"anvil-x","error":{"code":1,"message":"m"}}`, head(""), 400, "no reply is expected"},
		{"two names", call, head(methodCall, headerName, "add", headerName, "delete"), 400, headerName},
		{"a list of names", call, head(methodCall, headerName, "add, delete"), 400, headerName},
		{"a name in other case", call, head(methodCall, headerName, "ADD"), 400, headerName},
		{"two methods", call, head(methodCall, headerName, "add", headerMethod, "ping"), 400, headerMethod},
		{"two versions", call, head(methodCall, headerName, "add", headerVersion, "2025-11-25"), 400, headerVersion},
		{"an id that is an object", strings.Replace(call, `"id":1`, `"id":{"a":1}`, 1), head(methodCall, headerName, "add"), 400, "error"},
		{"initialize", modern("1", methodInitialize, ""), head(methodInitialize), 404, "open no session"},
		{"a method like tools/call", modern("1", "Tools/Call", `"name":"delete"`), head("Tools/Call"), 400, "unknown method"},
	} {
		resp := c.request(http.MethodPost, tt.body, func(r *http.Request) {
			if tt.name == "another type" {
				r.Header.Del("Content-Type")
			}
			tt.change(r.Header)
		})
		if got := readAll(t, resp); resp.StatusCode != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %d %s", tt.name, resp.StatusCode, got)
		}
	}
	for _, s := range u.all {
		for _, frame := range s.received() {
			if !strings.Contains(frame, methodList) {
				t.Errorf("the upstream got %s", frame)
			}
		}
	}
}

// Ids and tokens of any kind come back as they were, several alike at a time too, and progress of one request is told with no other.
func TestIDsOnASharedProcess(t *testing.T) {
	noLeak(t)
	held := make(chan wire.Envelope, 8)
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		if e.IsRequest() {
			held <- e
		}
	})
	f, _ := modernFacade(t, u, Options{})
	const huge = `123456789012345678901234567890`
	ids := []string{`"a"`, `"a"`, `1`, `"1"`, huge, `-5`, `""`}
	answers := make(chan string, len(ids))
	for i, id := range ids {
		frame := strings.Replace(modern(id, "vendor/x", fmt.Sprintf(`"n":%d`, i)), `"_meta":{`, fmt.Sprintf(`"_meta":{"progressToken":{"of":%d},`, i), 1)
		go func() { answers <- fmt.Sprint(i, " ", askAs(context.Background(), f, "", frame).Body) }()
	}
	var all []wire.Envelope
	for range ids {
		all = append(all, next(t, held))
	}
	progress := func(token string) {
		u.only().send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":7}}`)
	}
	progress(`"nobody's"`)
	progress(`999`)
	progress(`{"of":1}`)
	u.only().send(`{"jsonrpc":"2.0","method":"notifications/progress"}`)
	for _, e := range all {
		progress(`"` + string(progressToken(e.Bytes(e.Params), "_meta")) + `"`) // spelled as text
		u.only().reply(e, `{"n":`+string(memberAt(e.Bytes(e.Params), "n"))+`}`)
		u.only().reply(e, `{"n":"twice"}`)
	}
	for range ids {
		got := next(t, answers)
		var i int
		fmt.Sscan(got, &i)
		if strings.Count(got, `"progress":7`) != 1 || !strings.Contains(got, fmt.Sprintf(`"progressToken":{"of":%d}`, i)) ||
			!strings.Contains(got, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"n":%d}}`, ids[i], i)) || strings.Contains(got, "twice") {
			t.Errorf("%s: got %s", ids[i], got)
		}
	}
}

// A server that asks the client in the middle of a request is told that nobody answers.
func TestAServerOfTheStatelessEraThatAsks(t *testing.T) {
	noLeak(t)
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		switch {
		case e.MethodName() == methodCall:
			s.send(`{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}`)
			s.mu.Lock()
			s.asked = e
			s.mu.Unlock()
		case e.IsResponse():
			s.reply(s.asked, `{"told":`+string(memberAt(e.Raw, "error", "code"))+`}`)
		}
	})
	f, _ := modernFacade(t, u, Options{})
	_, got := newWeb(t, f).modernAsk(modern("1", methodCall, `"name":"add"`), nil)
	if got != `{"jsonrpc":"2.0","id":1,"result":{"told":-32601}}` {
		t.Errorf("got %s", got)
	}
}

// Callers have no part in one another's lanes, rosters, questions and subscriptions.
func TestCallersOfTheStatelessEraAreApart(t *testing.T) {
	noLeak(t)
	front, _ := knowing(t, "ada", "bo")
	type listener struct {
		*script
		id string
	}
	listens := make(chan listener, 2)
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		if e.MethodName() == methodListen {
			s.send(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(e.Bytes(e.ID)) + `},"notifications":{}}}`)
			listens <- listener{s, string(e.Bytes(e.ID))}
			return
		}
		s.answer(e)
	})
	u.tools = []string{payTool}
	exposure := exposeAll(t, payTool)
	exposure.Tools["pay"] = Tool{Item: exposure.Tools["pay"].Item, Operation: payOperation(true)}
	f, _ := modernFacade(t, u, Options{Exposure: exposure, AskPeople: true, Front: front})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	bodies := make(chan string, 2)
	for _, name := range []string{"ada", "bo"} {
		go func() {
			bodies <- name + " " + askAs(ctx, f, name, modern(`"sub"`, methodListen, `"notifications":{}`)).Body.String()
		}()
	}
	one, two := next(t, listens), next(t, listens)
	if one.script == two.script {
		t.Fatal("two callers share a process")
	}
	// A server that names the other's subscription, of which it could guess the id, is heard by its own caller at most.
	for _, id := range []string{one.id, two.id} {
		one.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"secret of one","_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`)
	}
	question := resultIn(t, askAs(ctx, f, "ada", roundOne("")).Body.String())
	requestState := string(memberAt([]byte(question), "requestState"))
	yes := roundOne(`"requestState":` + requestState + `,"inputResponses":{"anvil/confirm":{"action":"accept","content":{"confirm":true}}},`)
	if got := askAs(ctx, f, "bo", yes).Body.String(); !strings.Contains(got, "of no question that waits") {
		t.Errorf("another caller's yes: %s", got)
	}
	if got := askAs(ctx, f, "ada", yes).Body.String(); !strings.Contains(got, `"ran"`) {
		t.Errorf("the yes of the caller that was asked: %s", got)
	}
	waitUntil(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.lanes.count == 2 })
	cancel()
	told := 0
	for range 2 {
		if strings.Contains(next(t, bodies), "secret of one") {
			told++
		}
	}
	if told > 1 {
		t.Error("both callers were told what one's server said")
	}
	f.Close()
	noLanes(t, f)
}

// Arguments of nearly 16 MB pass in both eras as they came, and others are served meanwhile; larger ones are refused by what they are.
func TestLargeArguments(t *testing.T) {
	u := modernUpstream(t, nil)
	inner := u.handle
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			s.reply(e, fmt.Sprintf(`{"got":%d}`, len(memberAt(e.Bytes(e.Params), "arguments", "a"))))
			return
		}
		inner(s, e)
	}
	f, _ := modernFacade(t, u, Options{})
	web := newWeb(t, f)
	call := func(n int) string {
		return modern("1", methodCall, `"name":"add","arguments":{"a":"`+strings.Repeat("x", n-2)+`"}`)
	}
	fits := 16<<20 - len(call(2))
	for range 2 {
		if status, got := web.modernAsk(call(fits+2), nil); status != 200 || !strings.Contains(got, fmt.Sprintf(`{"got":%d}`, fits+2)) {
			t.Errorf("just fits: %d %.200s", status, got)
		}
		if status, got := web.modernAsk(call(fits+3), nil); status != 413 || !strings.Contains(got, "larger than the limit") {
			t.Errorf("too large: %d %.200s", status, got)
		}
	}
	link, _ := connect(t, f)
	if got := link.ask(call(fits + 3)); !strings.Contains(got, fmt.Sprintf(`{"got":%d}`, fits+3)) {
		t.Errorf("on a link: %.200s", got)
	}
	v := &upstreams{t: t, tools: []string{addTool}}
	session := newWeb(t, newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: v.dial}))
	session.open()
	if status, got := session.post(call(fits + 2)); status != 200 || !strings.Contains(got, `"ran"`) {
		t.Errorf("in a session: %d %.200s", status, got)
	}
}

// What is kept of a call until a person says yes is bounded, and one caller's calls push out none of another's.
func TestRoundsAreBounded(t *testing.T) {
	u, c := modernDesk(t, nil)
	long := roundOne(`"requestState":"s","inputResponses":{"x":"` + strings.Repeat("x", maxRoundSize) + `"},`)
	if _, got := c.modernAsk(long, nil); !strings.Contains(got, "longer than is kept") || u.last().sawMethod(methodCall) {
		t.Errorf("got %s", got)
	}
	q, now, kept := &rounds{}, time.Now(), time.Duration(0)
	keep := func(caller, requestState string) state.Binding {
		b := state.Binding{Caller: caller, Arguments: requestState}
		kept++
		q.keep(requestState, &round{binding: b, expires: now.Add(time.Minute + kept)}, now)
		return b
	}
	ada := keep("ada", "theirs")
	bo := keep("bo", "theirs") // servers may give both the same
	for i := range 2 * maxRounds {
		keep("bo", fmt.Sprint(i))
	}
	if q.take("theirs", bo, now) != nil {
		t.Error("the oldest is not forgotten")
	}
	if len(q.open) != maxRounds+1 || q.take("theirs", ada, now) == nil || q.take("theirs", ada, now) != nil {
		t.Errorf("%d are kept, or ada's is not there once", len(q.open))
	}
}
