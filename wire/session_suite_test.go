package wire

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A server may refuse the version of the first request and list that very one.
func TestConnectAsksAgain(t *testing.T) {
	for _, era := range []Era{"", EraStateless} {
		asked := 0
		server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
			if asked++; asked == 1 {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(e.Bytes(e.ID)) + `,"error":{"code":-32022,"data":{"supported":["2026-07-28"]}}}`))
				return
			}
			respond(w, e, both)
		}, func(w http.ResponseWriter, r *http.Request) { t.Errorf("got %s", r.Method) })
		s, err := connectTo(t, server.URL, ConnectOptions{Era: era})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{triedFirst + "refused true", triedFirst + "opened false"}, tried(s.Attempts())); diff != "" {
			t.Errorf("attempts (-want +got)\n%s", diff)
		}
		s.Close()
	}
}

func TestParamHeaders(t *testing.T) {
	var got http.Header
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		got = r.Header
		respond(w, e, both)
	}, func(w http.ResponseWriter, r *http.Request) { t.Errorf("got %s", r.Method) })
	s, err := connectTo(t, server.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	values := map[string]string{"Region": "us west", "Method": "m", "Text": "a\r\nX-Evil: 1", "Empty": "", "no token": "x", "": "x"}
	if _, err := s.Call(WithParamHeaders(testContext(t), values), "tools/call", []byte(`{"name":"t"}`)); err != nil {
		t.Fatal(err)
	}
	params := func() map[string]string {
		found := map[string]string{}
		for name, v := range got {
			if len(name) >= len(headerParam) && name[:len(headerParam)] == headerParam {
				found[name[len(headerParam):]] = v[0]
			}
		}
		return found
	}
	want := map[string]string{"Region": "us west", "Method": "m", "Text": "=?base64?YQ0KWC1FdmlsOiAx?=", "Empty": ""}
	if diff := cmp.Diff(want, params()); diff != "" || got.Get("Mcp-Method") != "tools/call" {
		t.Errorf("method %q (-want +got)\n%s", got.Get("Mcp-Method"), diff)
	}
	if _, err := s.Call(testContext(t), "tools/call", []byte(`{"name":"t"}`)); err != nil || len(params()) != 0 {
		t.Errorf("a call without values carries %q (%v)", params(), err)
	}
}

// What a server asks on the standing stream during a call is lost when the stream is not open by then.
func TestCallWaitsForTheStandingStream(t *testing.T) {
	opening, open := make(chan struct{}), make(chan struct{})
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		switch e.MethodName() {
		case "server/discover":
			respond(w, e, notFound)
		case "initialize":
			respond(w, e, welcomed)
		case "tools/call":
			select {
			case <-open:
			default:
				t.Error("the call came before the stream was open")
			}
			respond(w, e, `"result":{}`)
		default:
			respond(w, e, `"result":{}`)
		}
	}, func(w http.ResponseWriter, r *http.Request) {
		close(opening)
		<-open
		w.WriteHeader(http.StatusMethodNotAllowed)
	})
	s, err := connectTo(t, server.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	arrives(t, opening)
	if _, err := s.Call(testContext(t), "tools/list", nil); err != nil { // lists wait for nothing
		t.Fatal(err)
	}
	called := make(chan error, 1)
	go func() {
		_, err := s.Call(testContext(t), "tools/call", []byte(`{"name":"t"}`))
		called <- err
	}()
	time.AfterFunc(100*time.Millisecond, func() { close(open) }) // a call that does not wait is there before
	if err := arrives(t, called); err != nil {
		t.Error(err)
	}
}
