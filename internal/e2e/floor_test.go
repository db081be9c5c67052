package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"anvil/wire"
)

// floorVariable makes the test binary run a part of its own instead of tests: the least program a measurement can be compared with.
const floorVariable = "ANVIL_E2E_FLOOR"

// floorMain runs the part that args name: "cat", "list CAPABILITIES LISTS END -- COMMAND ARG...", or "shuffle -- COMMAND ARG...".
func floorMain(args []string) int {
	var err error
	switch {
	case len(args) == 1 && args[0] == "cat":
		_, err = io.Copy(os.Stdout, os.Stdin)
	case len(args) > 5 && args[0] == "list" && args[4] == "--":
		err = floorList(args[1], strings.Split(args[2], ","), args[3] == "stop", args[5:])
	case len(args) > 2 && args[0] == "shuffle" && args[1] == "--":
		err = shuffle(os.Getenv(floorVariable), args[2:])
	default:
		err = fmt.Errorf("unknown part %q", args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// floorList is the raw script: start the server, shake hands, ask for each list once, close its stdin, wait for its end. stop ends a server
// that would stay.
func floorList(capabilities string, lists []string, stop bool, command []string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = wire.BaseEnv(nil)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	f := floor{in, bufio.NewReaderSize(out, 1<<16), 0}
	err = f.ask("initialize", `{"protocolVersion":"`+wire.LatestHandshake+`","capabilities":`+capabilities+`,"clientInfo":{"name":"floor","version":"1"}}`)
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	for _, list := range lists {
		if err == nil {
			err = f.ask(list, "{}")
		}
	}
	in.Close()
	if stop || err != nil {
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	_, _ = io.Copy(io.Discard, f.out)
	if waited := cmd.Wait(); err == nil && !stop {
		err = waited
	}
	return err
}

type floor struct {
	in   io.Writer
	out  *bufio.Reader
	last int
}

// ask sends one request and reads up to its reply.
func (f *floor) ask(method, params string) error {
	f.last++
	id := strconv.Itoa(f.last)
	if _, err := io.WriteString(f.in, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":`+params+"}\n"); err != nil {
		return err
	}
	for {
		frame, err := f.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		e, err := wire.Scan(frame)
		if err == nil && e.IsResponse() && string(e.Bytes(e.ID)) == id {
			if len(e.Bytes(e.Result)) == 0 {
				return fmt.Errorf("%s: %s", method, frame)
			}
			return nil
		}
	}
}
