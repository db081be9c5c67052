package wire

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// deepReply is a reply that nests so many levels deep in all.
func deepReply(levels int, idLast bool) string {
	deep := nested("[", "]", levels-1)
	if idLast {
		return `{"result":` + deep + `,"jsonrpc":"2.0","id":1}`
	}
	return `{"jsonrpc":"2.0","id":1,"result":` + deep + `}`
}

// brokenReplies are certainly replies to request 1, and no JSON.
var brokenReplies = map[string]string{
	"trailing comma":          `{"jsonrpc":"2.0","id":1,"result":{"tools":[1,]}}`,
	"trailing comma at top":   `{"jsonrpc":"2.0","id":1,"result":{},}`,
	"cut in a string":         `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a`,
	"cut in a word":           `{"jsonrpc":"2.0","id":1,"result":{"a":tr`,
	"bad escape":              `{"jsonrpc":"2.0","id":1,"result":{"a":"\x"}}`,
	"control character":       "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\x00\"}}",
	"NaN":                     `{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}`,
	"a quote too many":        `{"jsonrpc":"2.0","id":1,"result":{"a":"he said "no""}}`,
	"a bracket too many":      `{"jsonrpc":"2.0","id":1,"result":{"a":[]]}}`,
	"a brace too few":         `{"jsonrpc":"2.0","id":1,"result":{"a":"b}`,
	"an error":                `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":'no'}}`,
	"id as text":              `{"id":"1","jsonrpc":"2.0","result":{'a':1}}`,
	"single quotes":           `{"jsonrpc":"2.0","id":1,"result":{'a':1}}`,
	"after members of no use": `{"x":{"id":7,"method":"m"},"jsonrpc":"2.0","id":1,"result":+1}`,
}

// doubtful frames cannot be read, and are the reply to no request beyond doubt.
var doubtful = map[string]string{
	"text with an id":            `INFO {"jsonrpc":"2.0","id":1,"result":{}}`,
	"no version":                 `{"id":1,"result":{"a":NaN}}`,
	"another version":            `{"jsonrpc":"1.0","id":1,"result":{"a":NaN}}`,
	"no id":                      `{"jsonrpc":"2.0","result":{"a":NaN}}`,
	"id behind the fault":        `{"jsonrpc":"2.0","result":{"a":NaN},"id":1}`,
	"null id":                    `{"jsonrpc":"2.0","id":null,"error":{"a":NaN}}`,
	"two ids":                    `{"jsonrpc":"2.0","id":1,"id":2,"result":{"a":NaN}}`,
	"no result":                  `{"jsonrpc":"2.0","id":1,"x":NaN}`,
	"fault before the result":    `{"jsonrpc":"2.0","id":1,"x":NaN,"result":{}}`,
	"a request":                  `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":NaN}}`,
	"params":                     `{"jsonrpc":"2.0","id":1,"params":{"a":NaN},"result":1}`,
	"JSON log":                   `{"level":"info","id":1,"result":NaN}`,
	"id and result in a message": `{"message":"\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}","x":NaN}`,
	"id inside":                  `{"log":{"jsonrpc":"2.0","id":1,"result":{}},"x":NaN}`,
	"an array":                   `[{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}]`,
}

func TestLostReply(t *testing.T) {
	judge := func(frame string) (id string, lost bool) {
		_, err := Scan([]byte(frame))
		if err == nil {
			t.Fatalf("%s can be read", frame)
		}
		l := lostReply([]byte(frame), err)
		if l == nil {
			return "", false
		}
		if !errors.Is(l, err) || !strings.HasPrefix(frame, string(l.Frame)) {
			t.Errorf("%s: got %v", frame, l)
		}
		return string(l.ID), true
	}
	for name, frame := range brokenReplies {
		if id, lost := judge(frame); !lost || strings.Trim(id, `"`) != "1" {
			t.Errorf("%s: lost %v, id %s", name, lost, id)
		}
	}
	for name, frame := range doubtful {
		if id, lost := judge(frame); lost {
			t.Errorf("%s: taken for the reply to %s", name, id)
		}
	}
	for name, frame := range map[string]string{
		"id first": deepReply(20_000, false), "id last": deepReply(20_000, true),
		"id between":         `{"result":` + strings.Repeat(`{"a":[`, 6000) + strings.Repeat(`]}`, 6000) + `,"id":1,"jsonrpc":"2.0","x":1}`,
		"no version":         `{"id":1,"result":` + nested("[", "]", 20_000) + `}`,
		"brackets in string": `{"result":` + strings.Repeat(`["}{][\"",`, 15_000) + "1" + strings.Repeat("]", 15_000) + `,"id":1}`,
	} {
		if id, lost := judge(frame); !lost || id != "1" {
			t.Errorf("deep, %s: lost %v, id %s", name, lost, id)
		}
	}
	for name, frame := range map[string]string{
		"notice": `{"jsonrpc":"2.0","method":"m","params":` + nested("[", "]", 20_000) + `}`,
		"cut":    `{"result":` + strings.Repeat("[", 20_000), "crossed": `{"result":` + strings.Repeat("[", 20_000) + "}" + `,"id":1}`,
	} {
		if id, lost := judge(frame); lost {
			t.Errorf("deep, %s: taken for the reply to %s", name, id)
		}
	}
}

func TestReadFrame(t *testing.T) {
	const log = `{"jsonrpc":"2.0","method":"m","id":5}`
	for _, tt := range []struct {
		name, in string
		want     []string
		kind     string
	}{
		{"batch", `[` + frameA + `, 1 ,` + frameB + `]`, []string{frameA, frameB}, NoiseBatch},
		{"two", frameA + frameB, []string{frameA, frameB}, NoiseJoined},
		{"two, spaced", " " + frameA + " \t" + frameB + "\r", []string{frameA, frameB}, NoiseJoined},
		{"reply and text", frameA + ` // done`, []string{frameA}, NoiseJoined},
		{"reply and half a message", frameA + `{"jsonrpc":"2.0","id":2,"res`, []string{frameA}, NoiseJoined},
		{"request and text", log + " received", nil, NoiseMalformed},
		{"request, reply and text", log + frameA + " x", []string{frameA}, NoiseJoined},
		{"text and reply", "x " + frameA, nil, NoiseMalformed},
		{"no version", `{"id":1,"result":{}}{"id":2,"result":{}}`, nil, NoiseMalformed},
		{"log", `{"level":"info"}`, nil, NoiseMalformed},
		{"logs", `{"level":"info"}{"level":"info"}`, nil, NoiseMalformed},
		{"batch of nothing", `[1]`, nil, NoiseBatch},
		{"text", "hello", nil, NoiseMalformed},
		{"nothing", "", nil, NoiseMalformed},
		{"deep notice", `{"jsonrpc":"2.0","method":"m","params":` + nested("[", "]", MaxDepth) + `}`, nil, NoiseTooDeep},
		{"deep array", nested("[", "]", MaxDepth+1), nil, NoiseTooDeep},
		{"deep reply", deepReply(MaxDepth+1, true), nil, NoiseTooDeep + " 1"},
		{"deep reply and text", deepReply(MaxDepth+1, true) + " sent", nil, NoiseTooDeep},
		{"broken reply", `{"jsonrpc":"2.0","id":1,"result":NaN}`, nil, NoiseBroken + " 1"},
		{"reply and a broken one", frameA + `{"jsonrpc":"2.0","id":2,"result":NaN}`, []string{frameA}, NoiseJoined},
		{"broken in a batch", `[` + frameA + `,{"jsonrpc":"2.0","id":2,"result":NaN}]`, nil, NoiseMalformed},
	} {
		messages, kind, lost := ReadFrame([]byte(tt.in))
		var got []string
		for _, e := range messages {
			got = append(got, string(e.Raw))
		}
		if lost != nil {
			kind += " " + string(lost.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || kind != tt.kind {
			t.Errorf("%s: kind %q (-want +got)\n%s", tt.name, kind, diff)
		}
	}
}

// Over no link does a call wait for a reply that came and cannot be read.
func TestUnreadableRepliesFailTheirCall(t *testing.T) {
	frames := map[string][2]string{"deep": {deepReply(20_000, false), NoiseTooDeep}, "deep, id last": {deepReply(20_000, true), NoiseTooDeep}}
	for name, frame := range brokenReplies {
		frames[name] = [2]string{strings.ReplaceAll(frame, "\x00", "\x01"), NoiseBroken}
	}
	for name, frame := range frames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for transport, link := range linksThatSay(t, frame[0]) {
				var heard logbook
				c := NewClient(link, ClientOptions{OnNoise: func(kind string, _ []byte) { heard.add("%s", kind) }})
				_, err := c.Call(testContext(t), "x", nil)
				if err == nil || !isUnreadable(err) || frame[1] == NoiseTooDeep && !strings.Contains(err.Error(), "nests too deep: more than 10000 levels") {
					t.Errorf("%s: got %v", transport, err)
				}
				if got, err := c.Call(testContext(t), "x", nil); err != nil || string(got) != "2" {
					t.Errorf("%s: the next call: got %s, %v", transport, got, err)
				}
				c.Close()
				if diff := cmp.Diff([]string{frame[1]}, heard.all()); diff != "" {
					t.Errorf("%s (-want +got)\n%s", transport, diff)
				}
			}
		})
	}
}

// linksThatSay returns a link of every transport whose peer answers the first request with frame and the others as it should.
func linksThatSay(t *testing.T, frame string) map[string]Link {
	say := func(e Envelope) string {
		if id := string(e.Bytes(e.ID)); id != "1" {
			return result(e, id)
		}
		return frame
	}
	asJSON := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request, e Envelope) { answerJSON(w, say(e)) }, nil)
	asEvent := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		answerSSE(w, "data: "+say(e)+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done() // the stream stays open
	}, nil)
	old := newSSEServer(t, "event: endpoint\ndata: /messages\n\n")
	old.post = func(e Envelope) string { return "data: " + say(e) + "\n\n" }
	client, server := Pipe()
	t.Cleanup(func() { server.Close() })
	go func() {
		for {
			got, err := server.Recv(t.Context())
			if err != nil {
				return
			}
			e, _ := Scan(got)
			_ = server.Send(t.Context(), []byte(say(e)))
		}
	}()
	return map[string]Link{
		"pipe": client, "http": dial(t, HTTPOptions{URL: asJSON.URL}), "http stream": dial(t, HTTPOptions{URL: asEvent.URL}),
		"sse": dialSSE(t, HTTPOptions{URL: old.URL + "/sse"}), "stdio": linesLink(t, say),
	}
}

// Messages that come together are told of over every link, and read.
func TestMessagesThatComeTogether(t *testing.T) {
	const reply = `{"jsonrpc":"2.0","id":1,"result":1}`
	for _, tt := range []struct{ frame, kind string }{
		{"[" + frameB + "," + reply + "]", NoiseBatch}, {"[" + reply + "]", NoiseBatch},
		{frameB + reply, NoiseJoined}, {reply + " sent", NoiseJoined},
	} {
		for transport, link := range linksThatSay(t, tt.frame) {
			var heard logbook
			c := NewClient(link, ClientOptions{OnNoise: func(kind string, _ []byte) { heard.add("%s", kind) }})
			if got, err := c.Call(testContext(t), "x", nil); err != nil || string(got) != "1" {
				t.Errorf("%s, %s: got %s, %v", transport, tt.frame, got, err)
			}
			c.Close()
			if diff := cmp.Diff([]string{tt.kind}, heard.all()); diff != "" {
				t.Errorf("%s, %s (-want +got)\n%s", transport, tt.frame, diff)
			}
		}
	}
}

// A frame with an id that nobody waits for is no reply that is lost.
func TestBrokenReplyToNothing(t *testing.T) {
	d := newDuet(t, ClientOptions{})
	call := d.call(testContext(t), "x", nil)
	d.expect(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	for _, id := range []string{"2", `"x"`, "1.5", "0"} {
		d.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":NaN}`, id))
	}
	d.say(`{"jsonrpc":"2.0","id":1,"result":1}`)
	if got := d.await(call); got.result != "1" {
		t.Errorf("got %v", got)
	}
	if diff := cmp.Diff([]string{NoiseMalformed, NoiseMalformed, NoiseMalformed, NoiseMalformed}, d.heard()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
