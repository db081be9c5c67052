//go:build linux

package wire

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What servers do to a session over stdio, one test for each way. What concerns a frame or a process alone is tested
// with those.

// hostileResults are results that decoders drop, repair or choke on, by the method they answer.
var hostileResults = map[string]string{
	"deep":           strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
	"deepest":        strings.Repeat(`{"a":`, MaxDepth-1) + "1" + strings.Repeat("}", MaxDepth-1),
	"not UTF-8":      "{\"a\":\"\xff\xfe\xc3\"}",
	"lone surrogate": `{"a":"\ud800","\udfff":1}`,
	"duplicate keys": `{"tools":[],"tools":[{"name":"a","name":"b"}],"id":7,"error":{}}`,
	"null tools":     `{"tools":null}`,
	"wrong types":    `{"tools":[{"name":"a","description":5,"annotations":{"readOnlyHint":"yes"}},null,1]}`,
	"numbers":        `{"a":9007199254740993,"b":1.0,"c":1e400,"d":-0}`,
	"escapes":        `{"\u0069d":"\/\u00e9"}`,
}

func TestMatrixResultsArriveByteEqual(t *testing.T) {
	c := NewClient(startServer(t, "hostile"), ClientOptions{OnNoise: func(kind string, frame []byte) { t.Errorf("noise %s: %.200s", kind, frame) }})
	for method, want := range hostileResults {
		if got, err := c.Call(testContext(t), method, nil); err != nil || string(got) != want {
			t.Errorf("%s: got %.200s, %v", method, got, err)
		}
	}
}

// connectMode opens a session with the test server of that mode, and returns how many were started.
func connectMode(t *testing.T, mode string, o ConnectOptions) (s *Session, started int, err error) {
	t.Helper()
	s, err = Connect(testContext(t), func(ctx context.Context) (Link, error) {
		started++
		return Start(ctx, testCommand(mode))
	}, o)
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, started, err
}

func TestMatrixConnect(t *testing.T) {
	for _, tt := range []struct {
		mode     string
		attempts []string
		started  int
		version  string
	}{
		{"normal", []string{triedFirst + "no-version false", triedThen + "opened false"}, 1, "2099-01-01"}, // echoes discover
		{"strict", []string{triedFirst + "failed true", triedThen + "opened false"}, 2, "2099-01-01"},
		{"mute", []string{triedFirst + "late false", triedThen + "opened false", triedFirst + "dropped false"}, 1, "2099-01-01"},
		{"noise", []string{triedFirst + "no-version false", triedThen + "opened false"}, 1, "2099-01-01"},
		{"bom", []string{triedFirst + "no-version false", triedThen + "opened false"}, 1, "2099-01-01"},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			timeout := patience
			if tt.mode == "mute" {
				timeout = 50 * time.Millisecond
			}
			s, started, err := connectMode(t, tt.mode, ConnectOptions{DiscoverTimeout: timeout})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.attempts, tried(s.Attempts())); diff != "" || started != tt.started || s.Version() != tt.version {
				t.Errorf("started %d, version %s, attempts (-want +got)\n%s", started, s.Version(), diff)
			}
			if _, err := s.Call(testContext(t), "echo", nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMatrixServerThatNeverStarts(t *testing.T) {
	_, started, err := connectMode(t, "exit", ConnectOptions{})
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || started != 2 {
		t.Errorf("started %d: %v", started, err)
	}
}

func TestMatrixHang(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := Connect(ctx, func(ctx context.Context) (Link, error) { return Start(ctx, testCommand("hang")) },
		ConnectOptions{DiscoverTimeout: 50 * time.Millisecond})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestMatrixCrashMidList(t *testing.T) {
	s, _, err := connectMode(t, "crash-mid-list", ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(testContext(t), "tools/list", []byte(`{"cursor":"c0"}`)); err != nil {
		t.Fatal(err)
	}
	_, err = s.Call(testContext(t), "tools/list", []byte(`{"cursor":"c1"}`))
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 7 || !strings.Contains(err.Error(), "out of pages") {
		t.Errorf("got %v", err)
	}
}

// A server that can read nothing answers each message with an error for no id, and every call still ends.
func TestMatrixUnreadable(t *testing.T) {
	_, _, err := connectMode(t, "unreadable", ConnectOptions{})
	if !isCode(err, -32700) {
		t.Errorf("got %v", err)
	}
}
