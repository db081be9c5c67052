package trapserver

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// ChildTool names the one tool of mode "leaves-child", whose description is the process id of a child in a session of its own. It ignores
// SIGTERM.
const ChildTool = "child"

// floodBytes is how much mode "stderr-flood" writes to stderr.
const floodBytes = 20 << 20

// processModes misbehave as processes. It is a function since a child is given one of these modes too.
func processModes() map[string]mode {
	child := sync.OnceValue(startChild)
	return map[string]mode{
		"stays": {stays: true},
		"sleeper": {stays: true, start: func(*server) {
			fmt.Fprintln(os.Stderr, "ready")
			select {}
		}},
		"says-goodbye": {end: func(s *server) { s.print("Shutting down.\n") }},
		"stderr-flood": {request: func(_ *server, r request) bool {
			if r.method == "tools/list" {
				line := strings.Repeat("y", 4095) + "\n"
				for written := 0; written < floodBytes; written += len(line) {
					fmt.Fprint(os.Stderr, line)
				}
			}
			return false
		}},
		"environment":  {tools: environment},
		"leaves-child": {tools: func() []string { return []string{child()} }},
	}
}

// startChild starts the child and returns the tool that tells of it.
func startChild() string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), Env+"=sleeper")
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = ownSession()
	errs, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(errs).ReadString('\n')
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "start the child:", err)
		os.Exit(ExitCrash)
	}
	return fmt.Sprintf(`{"name":"%s","description":"%d","inputSchema":{"type":"object"}}`, ChildTool, cmd.Process.Pid)
}
