package facade

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// recorded posts body to f's handler in the given session and returns the answer.
func recorded(f *Facade, session, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "http://localhost"+Path, strings.NewReader(body))
	r.Header = http.Header{"Accept": {"*/*"}, "Content-Type": {typeJSON}}
	if session != "" {
		r.Header.Set(headerSession, session)
	}
	w := httptest.NewRecorder()
	f.Handler().ServeHTTP(w, r)
	return w
}

// Sessions whose clients went away do not keep others out, those in use stay, and who finds no place is told why.
func TestHTTPAbandonedSessionMakesPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		u := &upstreams{t: t}
		book := &logBook{}
		f, err := New(Options{Name: "demo", Dial: u.dial, Log: book.add, Limits: Limits{Sessions: 3}})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var ids []string
		for range 3 {
			ids = append(ids, recorded(f, "", initializeFrame).Header().Get(headerSession))
			time.Sleep(5 * time.Second)
		}
		full := recorded(f, "", initializeFrame)
		for _, want := range []string{`"id":"init","error"`, "too many sessions are open: 3", `"code":"too_many_sessions"`, "DELETE", "anvil mcp serve"} {
			if got := full.Body.String(); full.Code != http.StatusServiceUnavailable || !strings.Contains(got, want) || strings.Contains(got, "inspect") {
				t.Errorf("got %d %s, want %s in it", full.Code, got, want)
			}
		}
		time.Sleep(50 * time.Second)
		recorded(f, ids[0], ping) // the second is now the one idle longest, for 60 s
		time.Sleep(time.Second)
		fresh := recorded(f, "", initializeFrame)
		if fresh.Code != http.StatusOK {
			t.Fatalf("got %d %s", fresh.Code, fresh.Body)
		}
		ids = append(ids, fresh.Header().Get(headerSession))
		synctest.Wait()
		for i, want := range []int{200, 404, 200, 200} {
			if got := recorded(f, ids[i], ping).Code; got != want {
				t.Errorf("session %d: got %d, want %d", i, got, want)
			}
		}
		if again := recorded(f, "", initializeFrame); again.Code != http.StatusServiceUnavailable {
			t.Errorf("with three sessions just used: %d", again.Code)
		}
		if !strings.Contains(book.String(), errReplaced.Error()) {
			t.Errorf("log: %s", book)
		}
	})
}

// A session with a stream open is in use, however silent.
func TestHTTPOpenStreamKeepsItsPlace(t *testing.T) {
	u, c, _ := webFacade(t, Options{Limits: Limits{Sessions: 1}})
	c.open()
	readEvents(t, c.request("GET", "", nil))
	c.facade.mu.Lock()
	h := c.facade.sessions[c.session]
	c.facade.mu.Unlock()
	h.mu.Lock()
	h.left = time.Now().Add(-time.Hour)
	h.mu.Unlock()
	other := &webClient{t: t, server: c.server}
	if status, body := other.post(initializeFrame); status != http.StatusServiceUnavailable || !strings.Contains(body, tooManySessions) {
		t.Errorf("got %d %s", status, body)
	}
	if u.count() != 1 {
		t.Errorf("%d upstreams were started", u.count())
	}
}
