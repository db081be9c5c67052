package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// part is what a scripted server does with one method: after a while it answers, or leaves.
type part struct {
	after time.Duration
	body  string // the reply without its id, such as "result":{}; empty for none
	exit  bool
}

// stage is a server scripted by method. It answers each request by itself, in time rather than in order.
type stage struct {
	mu    sync.Mutex
	play  []map[string]part // per link; the last one plays on
	heard [][]string        // per link
	start time.Time
}

func (s *stage) dial(ctx context.Context) (Link, error) {
	near, far := Pipe()
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.heard)
	s.heard = append(s.heard, nil)
	go s.serve(far, n, s.play[min(n, len(s.play)-1)])
	return near, nil
}

func (s *stage) serve(link Link, n int, play map[string]part) {
	for {
		frame, err := link.Recv(context.Background())
		if err != nil {
			return
		}
		e, _ := Scan(frame)
		s.mu.Lock()
		s.heard[n] = append(s.heard[n], fmt.Sprintf("%s %s", time.Since(s.start), e.MethodName()))
		s.mu.Unlock()
		does, ok := play[e.MethodName()]
		if ok && e.IsRequest() {
			go func() {
				time.Sleep(does.after)
				if does.exit {
					link.Close()
				} else if does.body != "" {
					_ = link.Send(context.Background(), fmt.Appendf(nil, `{"jsonrpc":"2.0",%s,"id":%s}`, does.body, e.Bytes(e.ID)))
				}
			}()
		}
	}
}

func tried(attempts []Attempt) []string {
	var list []string
	for _, a := range attempts {
		list = append(list, fmt.Sprintf("%s %s %s %v", a.Era, a.Method, a.Outcome, a.Err != nil))
	}
	return list
}

const (
	notFound   = `"error":{"code":-32601,"message":"method not found"}`
	both       = `"result":{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{}}`
	welcomed   = `"result":{"protocolVersion":"2025-11-25"}`
	triedFirst = "stateless server/discover "
	triedThen  = "handshake initialize "
)

func TestConnectFindsTheEra(t *testing.T) {
	const timeout = discoverTimeout
	for _, tt := range []struct {
		name             string
		discover, opens  part
		options          ConnectOptions
		era              Era
		version          string
		supported        []string
		elapsed          time.Duration
		attempts         []string
		err              string
		initializeParams string
	}{
		{name: "method not found", discover: part{body: notFound}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", attempts: []string{triedFirst + "refused true", triedThen + "opened false"}},
		{name: "another error", discover: part{body: `"error":{"code":-32000}`}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", attempts: []string{triedFirst + "refused true", triedThen + "opened false"}},
		{name: "unsupported version", discover: part{body: `"error":{"code":-32022,"data":{"supported":["2025-06-18","2024-11-05"]}}`}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", supported: []string{"2025-06-18", "2024-11-05"},
			attempts: []string{triedFirst + "refused true", triedThen + "opened false"}},
		{name: "unsupported version, newer ones only", discover: part{body: `"error":{"code":-32022,"data":{"supported":["2027-01-01"]}}`},
			attempts: []string{triedFirst + "refused true"}, err: "the server speaks 2027-01-01 alone, newer than"},
		{name: "unsupported version that is listed", discover: part{body: `"error":{"code":-32022,"data":{"supported":["2026-07-28"]}}`}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", supported: []string{"2026-07-28"},
			attempts: []string{triedFirst + "refused true", triedFirst + "refused true", triedThen + "opened false"}},
		{name: "stateless", discover: part{body: both}, era: EraStateless, version: "2026-07-28",
			supported: []string{"2026-07-28", "2025-11-25"}, attempts: []string{triedFirst + "opened false"}},
		{name: "no versions", discover: part{body: `"result":{}`}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", attempts: []string{triedFirst + "no-version false", triedThen + "opened false"}},
		{name: "versions of another type", discover: part{body: `"result":{"supportedVersions":"2026-07-28"}`}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", attempts: []string{triedFirst + "no-version false", triedThen + "opened false"}},
		{name: "no object", discover: part{body: `"result":"ok"`}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", attempts: []string{triedFirst + "no-version false", triedThen + "opened false"}},
		{name: "old versions", discover: part{body: `"result":{"supportedVersions":[1,"2025-03-26"]}`}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", supported: []string{"2025-03-26"},
			attempts: []string{triedFirst + "no-version false", triedThen + "opened false"}},
		{name: "newer versions", discover: part{body: `"result":{"supportedVersions":["2027-01-01","2028-01-01"]}`},
			attempts: []string{triedFirst + "no-version false"}, err: "the server speaks 2027-01-01, 2028-01-01 alone, newer than"},
		{name: "silence", opens: part{body: welcomed}, era: EraHandshake, version: "2025-11-25", elapsed: timeout,
			attempts: []string{triedFirst + "late false", triedThen + "opened false", triedFirst + "dropped false"}},
		{name: "late and first", discover: part{after: 2 * time.Second, body: both}, opens: part{after: time.Second, body: welcomed},
			era: EraStateless, version: "2026-07-28", supported: []string{"2026-07-28", "2025-11-25"}, elapsed: 2 * time.Second,
			attempts: []string{triedFirst + "late false", triedFirst + "opened false", triedThen + "dropped false"}},
		{name: "late and second", discover: part{after: 3 * time.Second, body: both}, opens: part{after: time.Second, body: welcomed},
			era: EraHandshake, version: "2025-11-25", elapsed: timeout + time.Second,
			attempts: []string{triedFirst + "late false", triedThen + "opened false", triedFirst + "dropped false"}},
		{name: "late and refused", discover: part{after: 2 * time.Second, body: notFound}, opens: part{after: time.Second, body: welcomed},
			era: EraHandshake, version: "2025-11-25", elapsed: timeout + time.Second,
			attempts: []string{triedFirst + "late false", triedFirst + "refused true", triedThen + "opened false"}},
		{name: "late, and initialize refused before", discover: part{after: 2 * time.Second, body: both}, opens: part{body: notFound},
			era: EraStateless, version: "2026-07-28", supported: []string{"2026-07-28", "2025-11-25"}, elapsed: 2 * time.Second,
			attempts: []string{triedFirst + "late false", triedThen + "refused true", triedFirst + "opened false"}},
		{name: "initialize refused, discover silent", opens: part{body: notFound}, elapsed: 2 * timeout, err: "error -32601",
			attempts: []string{triedFirst + "late false", triedThen + "refused true"}},
		{name: "both refused", discover: part{body: notFound}, opens: part{body: notFound}, err: "call initialize: the server answered with error -32601",
			attempts: []string{triedFirst + "refused true", triedThen + "refused true"}},
		{name: "silence for ever", elapsed: patience, err: "call initialize: context deadline exceeded",
			attempts: []string{triedFirst + "late false", triedThen + "failed true"}},
		{name: "own timeout", options: ConnectOptions{DiscoverTimeout: time.Millisecond}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", elapsed: time.Millisecond,
			attempts: []string{triedFirst + "late false", triedThen + "opened false", triedFirst + "dropped false"}},
		{name: "unknown handshake version", discover: part{body: notFound}, opens: part{body: `"result":{"protocolVersion":"2099-01-01"}`},
			era: EraHandshake, version: "2099-01-01", attempts: []string{triedFirst + "refused true", triedThen + "opened false"}},
		{name: "stateless version in a handshake", discover: part{body: notFound}, opens: part{body: `"result":{"protocolVersion":"2026-07-28"}`},
			era: EraHandshake, version: "2026-07-28", attempts: []string{triedFirst + "refused true", triedThen + "opened false"}},
		{name: "no MCP", discover: part{body: notFound}, opens: part{body: `"result":{}`}, err: "not the answer of an MCP server",
			attempts: []string{triedFirst + "refused true", triedThen + "no-version true"}},
		{name: "handshake wanted", options: ConnectOptions{Era: EraHandshake}, discover: part{body: both}, opens: part{body: welcomed},
			era: EraHandshake, version: "2025-11-25", attempts: []string{triedThen + "opened false"}},
		{name: "stateless wanted", options: ConnectOptions{Era: EraStateless}, discover: part{after: 10 * time.Second, body: both},
			era: EraStateless, version: "2026-07-28", supported: []string{"2026-07-28", "2025-11-25"}, elapsed: 10 * time.Second,
			attempts: []string{triedFirst + "opened false"}},
		{name: "stateless wanted in vain", options: ConnectOptions{Era: EraStateless}, discover: part{body: notFound}, opens: part{body: welcomed},
			err: "error -32601", attempts: []string{triedFirst + "refused true"}},
		{name: "stateless wanted of an older server", options: ConnectOptions{Era: EraStateless},
			discover: part{body: `"result":{"supportedVersions":["2025-11-25"]}`},
			err:      "no version of the stateless era", attempts: []string{triedFirst + "no-version false"}},
		{name: "stateless wanted, none listed", options: ConnectOptions{Era: EraStateless}, discover: part{body: `"result":{}`},
			err: "no supportedVersions", attempts: []string{triedFirst + "no-version false"}},
		{name: "unknown era", options: ConnectOptions{Era: "stone"}, err: `no era is called "stone"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &stage{start: time.Now(), play: []map[string]part{{"server/discover": tt.discover, "initialize": tt.opens}}}
				tt.options.Client.OnNoise = func(kind string, frame []byte) { t.Errorf("noise %s: %s", kind, frame) }
				s, err := Connect(testContext(t), server.dial, tt.options)
				if elapsed := time.Since(server.start); elapsed != tt.elapsed {
					t.Errorf("took %s, want %s", elapsed, tt.elapsed)
				}
				if tt.err != "" {
					var failed *ConnectError
					if !errors.As(err, &failed) || !strings.Contains(err.Error(), tt.err) {
						t.Fatalf("got %v, want %s", err, tt.err)
					}
					if diff := cmp.Diff(tt.attempts, tried(failed.Attempts)); diff != "" {
						t.Errorf("attempts (-want +got)\n%s", diff)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if diff := cmp.Diff(tt.attempts, tried(s.Attempts())); diff != "" {
					t.Errorf("attempts (-want +got)\n%s", diff)
				}
				if s.Era() != tt.era || s.Version() != tt.version || cmp.Diff(tt.supported, s.Supported()) != "" || s.Transport() != "" {
					t.Errorf("got %s %s %q %q", s.Era(), s.Version(), s.Supported(), s.Transport())
				}
				if body := map[Era]string{EraHandshake: tt.opens.body, EraStateless: tt.discover.body}[tt.era]; `"result":`+string(s.Welcome()) != body {
					t.Errorf("got welcome %s", s.Welcome())
				}
				time.Sleep(time.Hour) // what comes late is no noise
			})
		})
	}
}

// A server of both eras is met in the stateless one, however long it takes to start reading.
func TestConnectIsNotSwayedBySlowness(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Second, 2 * time.Second, 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			near, far := Pipe()
			go func() {
				time.Sleep(delay)
				for {
					frame, err := far.Recv(context.Background())
					if err != nil {
						return
					}
					e, _ := Scan(frame)
					if body := map[string]string{"server/discover": both, "initialize": welcomed}[e.MethodName()]; body != "" {
						_ = far.Send(context.Background(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, e.Bytes(e.ID), body))
					}
				}
			}()
			s, err := Connect(testContext(t), func(context.Context) (Link, error) { return near, nil }, ConnectOptions{})
			if err != nil || s.Era() != EraStateless {
				t.Fatalf("after %s: got %v, %v", delay, s, err)
			}
			s.Close()
		})
	}
}

// A server that leaves on a method it does not know is started again, and asked what it knows.
func TestConnectDialsAgain(t *testing.T) {
	for _, tt := range []struct {
		name     string
		play     []map[string]part
		heard    [][]string
		attempts []string
		lost     bool
	}{
		{"leaves on discover", []map[string]part{{"server/discover": {exit: true}}, {"initialize": {body: welcomed}}},
			[][]string{{"0s server/discover"}, {"0s initialize", "0s notifications/initialized"}},
			[]string{triedFirst + "failed true", triedThen + "opened false"}, false},
		{"leaves late", []map[string]part{{"server/discover": {exit: true, after: 2 * time.Second}}, {"initialize": {body: welcomed}}},
			[][]string{{"0s server/discover", "1.5s initialize"}, {"2s initialize", "2s notifications/initialized"}}, nil, false},
		{"leaves on the initialize after it", []map[string]part{{"server/discover": {body: notFound}, "initialize": {exit: true}}, {"initialize": {body: welcomed}}},
			[][]string{{"0s server/discover", "0s initialize"}, {"0s initialize", "0s notifications/initialized"}},
			[]string{triedFirst + "refused true", triedThen + "failed true", triedThen + "opened false"}, false},
		{"leaves for good", []map[string]part{{"server/discover": {exit: true}}, {"initialize": {exit: true}}},
			[][]string{{"0s server/discover"}, {"0s initialize"}},
			[]string{triedFirst + "failed true", triedThen + "failed true"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &stage{start: time.Now(), play: tt.play}
				s, err := Connect(testContext(t), server.dial, ConnectOptions{})
				var attempts []Attempt
				if err == nil {
					defer s.Close()
					attempts = s.Attempts()
				} else {
					attempts = err.(*ConnectError).Attempts
				}
				if (err != nil) != tt.lost || tt.lost && !errors.Is(err, io.EOF) {
					t.Errorf("got %v", err)
				}
				synctest.Wait()
				if diff := cmp.Diff(tt.heard, server.heard); diff != "" {
					t.Errorf("heard (-want +got)\n%s", diff)
				}
				if diff := cmp.Diff(tt.attempts, tried(attempts)); diff != "" && tt.attempts != nil {
					t.Errorf("attempts (-want +got)\n%s", diff)
				}
			})
		})
	}
}

func TestConnectDialFails(t *testing.T) {
	broken := errors.New("broken")
	_, err := Connect(testContext(t), func(context.Context) (Link, error) { return nil, broken }, ConnectOptions{})
	var failed *ConnectError
	if !errors.Is(err, broken) || !errors.As(err, &failed) || failed.Attempts != nil {
		t.Errorf("got %v", err)
	}
}

// What each era sends, to the byte.
func TestSessionSpelling(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}}}`
	discover := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`
	initialize := `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"n","version":"1"}}}`
	initialized := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	for _, tt := range []struct {
		name    string
		replies []string // to discover, then to initialize
		opening []string
		call    string
	}{
		{"stateless", []string{`{"jsonrpc":"2.0","id":1,` + both + `}`}, []string{discover},
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + meta + `, "name":"x"}}`},
		{"handshake", []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"data":{"supported":["2024-11-05","2025-06-18"]}}}`, `{"jsonrpc":"2.0","id":2,` + welcomed + `}`},
			[]string{discover, initialize, initialized}, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{ "name":"x"}}`},
		{"handshake of a stateless version", []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"data":{"supported":["2025-06-18"]}}}`, `{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2026-07-28"}}`},
			[]string{discover, initialize, initialized}, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{` + meta + `, "name":"x"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			near, far := Pipe()
			d := duet{t: t, peer: far}
			opened := make(chan *Session)
			go func() {
				s, err := Connect(testContext(t), func(context.Context) (Link, error) { return near, nil },
					ConnectOptions{Hello: Hello{Name: "n", Version: "1", Capabilities: []byte(`{"roots":{}}`)}, DiscoverTimeout: patience})
				if err != nil {
					t.Error(err)
				}
				opened <- s
			}()
			for i, frame := range tt.opening {
				d.expect(frame)
				if i < len(tt.replies) {
					d.say(tt.replies[i])
				}
			}
			s := arrives(t, opened)
			defer s.Close()
			if s.Link() != near {
				t.Error("another link")
			}
			go s.Call(testContext(t), "tools/call", []byte(`{ "name":"x"}`))
			d.expect(tt.call)
			if err := s.Notify(testContext(t), "notifications/x", []byte(`{"a":1}`)); err != nil {
				t.Error(err)
			}
			d.expect(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}`)
			far.Close()
			arrives(t, s.Done())
			if !errors.Is(s.Err(), io.EOF) {
				t.Errorf("got %v", s.Err())
			}
		})
	}
}
