package facade

import (
	"strings"
	"testing"

	"anvil/wire"
)

// In the stateless era a person is asked by the result, and the call is made with the repetition that has their answer.
func TestAPersonIsAskedInRounds(t *testing.T) {
	for _, tt := range []struct{ name, answer, code string }{
		{"yes", `{"action":"accept","content":{"confirm":true}}`, ""},
		{"no", `{"action":"decline"}`, confirmationDeclined},
		{"accepted without a yes", `{"action":"accept","content":{"confirm":false}}`, confirmationDeclined},
		{"nothing", `{}`, confirmationDeclined},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, c := modernDesk(t, nil)
			requestState := c.asked(t, roundOne(""))
			if u.all[0].sawMethod(methodCall) {
				t.Fatal("the call was made before anybody was asked")
			}
			again := roundOne(`"requestState":` + requestState + `,"inputResponses":{"anvil/confirm":` + tt.answer + `},`)
			_, got := c.modernAsk(again, nil)
			if tt.code != "" {
				if !strings.Contains(got, tt.code) || u.last().sawMethod(methodCall) {
					t.Errorf("got %s", got)
				}
				return
			}
			if want := `{"jsonrpc":"2.0","id":1,"result":{"ran":"tools/call"}}`; got != want {
				t.Errorf("got %s", got)
			}
			sent := u.all[0].await(t, `"tools/call"`)
			if strings.Contains(sent, "requestState") || strings.Contains(sent, "inputResponses") || !strings.Contains(sent, `"arguments":{"amount":3}`) {
				t.Errorf("the server got %s", sent)
			}
			if _, got := c.modernAsk(again, nil); !strings.Contains(got, "of no question that waits") {
				t.Errorf("a yes was used twice: %s", got)
			}
		})
	}
}

func TestAYesInRoundsIsForOneCall(t *testing.T) {
	yes := `"inputResponses":{"anvil/confirm":{"action":"accept","content":{"confirm":true}}},`
	for name, again := range map[string]func(requestState string) string{
		"other arguments": func(s string) string { return strings.Replace(roundOne(`"requestState":`+s+`,`+yes), "3", "300", 1) },
		"made up":         func(string) string { return roundOne(`"requestState":"anvil-round-AAAA",` + yes) },
		"none":            func(string) string { return roundOne(yes) },
	} {
		t.Run(name, func(t *testing.T) {
			u, c := modernDesk(t, nil)
			_, got := c.modernAsk(again(c.asked(t, roundOne(""))), nil)
			if strings.Contains(got, `"ran"`) || u.last().sawMethod(methodCall) {
				t.Errorf("the call was made: %s", got)
			}
		})
	}
}

// A server that asks for more after the yes gets its answer without another yes, and with what it asked to be repeated.
func TestAServerAsksAfterTheYes(t *testing.T) {
	u, c := modernDesk(t, func(s *script, e wire.Envelope) {
		params := e.Bytes(e.Params)
		if memberAt(params, "requestState") == nil {
			s.reply(e, `{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create","params":{"message":"whose?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"theirs"}`)
			return
		}
		s.reply(e, `{"resultType":"complete","content":[],"state":`+string(memberAt(params, "requestState"))+`,"given":`+string(memberAt(params, "inputResponses"))+`}`)
	})
	requestState := c.asked(t, roundOne(""))
	_, got := c.modernAsk(roundOne(`"requestState":`+requestState+`,"inputResponses":{"anvil/confirm":{"action":"accept","content":{"confirm":true}}},`), nil)
	if !strings.Contains(got, `"requestState":"theirs"`) {
		t.Fatalf("got %s", got)
	}
	theirs := roundOne(`"requestState":"theirs","inputResponses":{"name":{"action":"accept"}},`)
	if _, got = c.modernAsk(theirs, nil); !strings.Contains(got, `"state":"theirs","given":{"name":{"action":"accept"}}`) {
		t.Errorf("got %s", got)
	}
	// Once more it is another call: the facade asks, and what the server is to be told survives that.
	requestState = c.asked(t, theirs)
	_, got = c.modernAsk(roundOne(`"requestState":`+requestState+`,"inputResponses":{"anvil/confirm":{"action":"accept","content":{"confirm":true}}},`), nil)
	if !strings.Contains(got, `"state":"theirs","given":{"name":{"action":"accept"}}`) {
		t.Errorf("got %s", got)
	}
	if n := len(u.all); n != 1 {
		t.Errorf("%d upstreams", n)
	}
}

// roundOne is a call of pay with more members of its params, of a client that can ask its user.
func roundOne(more string) string {
	frame := modern("1", methodCall, more+`"name":"pay","arguments":{"amount":3}`)
	return strings.Replace(frame, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
}

// modernDesk is a facade before a server of the stateless era whose tool pay asks for a yes.
func modernDesk(t testing.TB, handle func(s *script, e wire.Envelope)) (*upstreams, *webClient) {
	t.Helper()
	u := modernUpstream(t, handle)
	u.tools = []string{payTool}
	exposure := exposeAll(t, payTool)
	exposure.Tools["pay"] = Tool{Item: exposure.Tools["pay"].Item, Operation: payOperation(true)}
	f, _ := modernFacade(t, u, Options{Exposure: exposure, AskPeople: true})
	return u, newWeb(t, f)
}

// asked makes a call that is answered with the facade's question, and returns its requestState, raw.
func (c *webClient) asked(t testing.TB, frame string) string {
	t.Helper()
	status, got := c.modernAsk(frame, nil)
	result := []byte(resultIn(t, got))
	if status != 200 || string(memberAt(result, "resultType")) != `"input_required"` || string(memberAt(result, "inputRequests", "anvil/confirm", "method")) != `"elicitation/create"` {
		t.Fatalf("got %d %s", status, got)
	}
	return string(memberAt(result, "requestState"))
}
