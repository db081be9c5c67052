package wire

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// logbook collects lines from handlers.
type logbook struct {
	mu    sync.Mutex
	lines []string
}

func (l *logbook) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *logbook) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// arrives waits for c, within reason.
func arrives[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case got := <-c:
		return got
	case <-testContext(t).Done():
		t.Fatal("it does not come")
		panic("unreachable")
	}
}

func respond(w http.ResponseWriter, e Envelope, body string) {
	answerJSON(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, e.Bytes(e.ID), body))
}
