package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// cmdExits runs a command and demands its exit code: exits CODE COMMAND ARG...
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// cmdWaitEnv waits for a file of NAME=VALUE lines, which a background command writes, and sets them: waitenv FILE
func cmdWaitEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitenv FILE")
	}
	for line := range strings.Lines(waitFor(ts, args[0], regexp.MustCompile(`(?m)^\w+=.*\n`))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		ts.Setenv(name, value)
	}
}

// cmdWaitText waits until a file that a background command writes matches, and sets NAME to the first group: waittext FILE REGEXP NAME
func cmdWaitText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: waittext FILE REGEXP NAME")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	ts.Setenv(args[2], pattern.FindStringSubmatch(waitFor(ts, args[0], pattern))[1])
}

// waitFor returns the text of the file as soon as it matches.
func waitFor(ts *testscript.TestScript, file string, pattern *regexp.Regexp) string {
	path := ts.MkAbs(file)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(path)
		if err == nil && pattern.Match(data) {
			return string(data)
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not match %s: %v\n%s", file, pattern, err, data)
		}
	}
}

// cmdWithout demands that no file below the folder holds TEXT: without FOLDER TEXT
func cmdWithout(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: without FOLDER TEXT")
	}
	files := readTree(ts, args[0])
	if len(files) == 0 {
		ts.Fatalf("%s holds no files", args[0])
	}
	for name, text := range files {
		if strings.Contains(text, args[1]) {
			ts.Fatalf("%s/%s holds %q", args[0], name, args[1])
		}
	}
}

// cmdSameDir compares the files of two folders byte for byte: samedir A B
func cmdSameDir(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: samedir A B")
	}
	a, b := readTree(ts, args[0]), readTree(ts, args[1])
	if len(a) == 0 {
		ts.Fatalf("%s holds no files", args[0])
	}
	if diff := cmp.Diff(a, b); (diff == "") == neg {
		ts.Fatalf("%s and %s (-first +second):\n%s", args[0], args[1], diff)
	}
}

// readTree returns the text of every file below a folder, by path.
func readTree(ts *testscript.TestScript, dir string) map[string]string {
	files := map[string]string{}
	root := ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[name] = string(data)
		return err
	}))
	return files
}

// cmdFlip changes one byte of a file, the last of the first place where TEXT stands: flip FILE TEXT
func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip FILE TEXT")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	at := strings.Index(string(data), args[1])
	if at < 0 {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	data[at+len(args[1])-1] ^= 1
	ts.Check(os.WriteFile(path, data, 0o644))
}

// cmdEdit replaces the first OLD in a file by NEW, as somebody with an editor does: edit FILE OLD NEW
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if !strings.Contains(string(data), args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(data), args[1], args[2], 1)), 0o644))
}

// cmdEndings writes a file as other programs do, with the line ends of Windows or a byte order mark: endings crlf|bom FILE
func cmdEndings(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: endings crlf|bom FILE")
	}
	path := ts.MkAbs(args[1])
	data, err := os.ReadFile(path)
	ts.Check(err)
	text := string(data)
	switch args[0] {
	case "crlf":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case "bom":
		text = "\uFEFF" + text
	default:
		ts.Fatalf("no endings %q", args[0])
	}
	ts.Check(os.WriteFile(path, []byte(text), 0o644))
}
