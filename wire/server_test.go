//go:build linux

package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serverEnv makes the test binary play a server instead of running tests: its value names a mode of testServers.
const serverEnv = "WIRE_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(serverEnv); mode != "" {
		testServers[mode]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var testServers map[string]func()

func init() {
	testServers = map[string]func(){
		"normal": func() { serve(reply) },
		"noise": func() {
			fmt.Print("Starting server...\r\n\n" + `{"level":"info"}` + "\n")
			serve(reply)
		},
		"bom":  func() { fmt.Print("\xef\xbb\xbf"); serve(reply) },
		"exit": func() { fmt.Fprint(os.Stderr, "first\nno \x1b[31mtoken\x1b[0m\nlast"); syscall.Exit(3) },
		"crash": func() {
			bufio.NewReader(os.Stdin).ReadString('\n')
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		},
		"hang":        func() { serve(func(json.RawMessage, string, json.RawMessage) {}) },
		"stubborn":    stubborn,
		"deaf":        func() { fmt.Println(frameB); select {} },
		"closed":      func() { os.Stdout.Close(); stubborn() },
		"oversized":   func() { fmt.Println(strings.Repeat("x", 1<<20)); serve(replyLarge) },
		"burst":       burst,
		"grandchild":  func() { announce(descendant(false)); serve(reply) },
		"abandon":     func() { announce(descendant(false)) },
		"escapee":     func() { announce(descendant(true)) },
		"parent":      parent,
		"sleeper":     func() { time.Sleep(time.Hour) },
		"environment": func() { out, _ := json.Marshal(os.Environ()); announceRaw(out); serve(reply) },
		"loose": func() {
			serve(func(id json.RawMessage, _ string, params json.RawMessage) {
				spelled := string(id) + ".0"
				if string(id) == "1" {
					spelled = `"1"`
				}
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"echo":%s}}`+"\n", spelled, orNull(params))
			})
		},
		"twice": func() {
			serve(func(id json.RawMessage, m string, p json.RawMessage) { reply(id, m, p); reply(id, m, p) })
		},
		"idlast": func() {
			serve(func(id json.RawMessage, _ string, params json.RawMessage) {
				fmt.Printf(`{"result":{"echo":%s,"id":99},"jsonrpc":"2.0","id":%s}`+"\n", orNull(params), id)
			})
		},
		"sdk":  serveSDK,
		"dial": dialFromChild,
		"strict": func() { // leaves when the first thing it hears is not initialize
			met := false
			serve(func(id json.RawMessage, method string, params json.RawMessage) {
				if met = met || method == "initialize"; !met {
					fmt.Fprintln(os.Stderr, "unexpected", method)
					os.Exit(1)
				}
				reply(id, method, params)
			})
		},
		"mute": func() { // answers what it knows and nothing else
			serve(func(id json.RawMessage, method string, params json.RawMessage) {
				if method != "server/discover" {
					reply(id, method, params)
				}
			})
		},
		"crash-mid-list": func() {
			serve(func(id json.RawMessage, method string, params json.RawMessage) {
				if string(params) == `{"cursor":"c1"}` {
					fmt.Fprintln(os.Stderr, "out of pages")
					os.Exit(7)
				}
				reply(id, method, params)
			})
		},
		"unreadable": func() { // cannot read what it is sent, and says so
			serve(func(json.RawMessage, string, json.RawMessage) { fmt.Println(strayError) })
		},
		"hostile": func() {
			serve(func(id json.RawMessage, method string, _ json.RawMessage) {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, hostileResults[method])
			})
		},
	}
}

// serve reads requests to the end of input and has each answered.
func serve(answer func(id json.RawMessage, method string, params json.RawMessage)) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			fmt.Fprintln(os.Stderr, "bad line:", err)
			os.Exit(9)
		}
		if m.ID != nil && m.Method != "" {
			answer(m.ID, m.Method, m.Params)
		}
	}
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

func reply(id json.RawMessage, method string, params json.RawMessage) {
	switch method {
	case "initialize":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2099-01-01","capabilities":{},"x":1.0}}`+"\n", id)
	case "fail":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no\u0020way","data":1.0}}`+"\n", id)
	default:
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"echo":%s}}`+"\n", id, orNull(params))
	}
}

// replyLarge answers beyond the limit of the test.
func replyLarge(id json.RawMessage, method string, params json.RawMessage) {
	large := strings.Repeat("x", 1<<20)
	switch method {
	case "large-id-first":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":"%s"}`+"\n", id, large)
	case "large-id-last":
		fmt.Printf(`{"result":"%s","jsonrpc":"2.0","id":%s}`+"\n", large, id)
	case "large-no-id":
		fmt.Printf(`{"jsonrpc":"2.0","error":"%s"}`+"\n", large)
	default:
		reply(id, method, params)
	}
}

// stubborn ignores the end of input and every signal that can be ignored.
func stubborn() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	fmt.Fprintln(os.Stderr, "ready")
	time.Sleep(time.Hour)
}

// burst writes many messages and leaves at once.
func burst() {
	var out bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&out, `{"jsonrpc":"2.0","method":"notifications/n","params":%d}`+"\n", i)
	}
	os.Stdout.Write(out.Bytes())
}

// descendant starts a stubborn process that holds this one's stdout and stderr, and returns its id once it is ready.
func descendant(ownSession bool) int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverEnv+"=stubborn")
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: ownSession}
	errs, err := cmd.StderrPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	bufio.NewReader(errs).ReadString('\n')
	return cmd.Process.Pid
}

func announce(pid int) { announceRaw([]byte(strconv.Itoa(pid))) }

func announceRaw(params []byte) {
	fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/hello","params":%s}`+"\n", params)
}

// dialFromChild calls the server at the address given in the environment and announces the outcome.
func dialFromChild() {
	h, err := DialHTTP(HTTPOptions{URL: os.Getenv("WIRE_TEST_URL")})
	if err != nil {
		panic(err)
	}
	outcome := "answered"
	if _, err := NewClient(h, ClientOptions{}).Call(context.Background(), "x", nil); err != nil {
		outcome = err.Error()
	}
	announceRaw(appendQuoted(nil, outcome))
}

// parent starts a server through this package and waits to be killed.
func parent() {
	p, err := Start(context.Background(), testCommand("sleeper"))
	if err != nil {
		panic(err)
	}
	announce(p.Pid())
	time.Sleep(time.Hour)
}

// testCommand runs this test binary as a server. Under the race detector a program lingers for a second after its end
// unless told not to, longer than Close waits.
func testCommand(mode string) Command {
	env := BaseEnv(map[string]string{serverEnv: mode, "GORACE": "atexit_sleep_ms=0"})
	return Command{Args: []string{os.Args[0]}, Env: env}
}
