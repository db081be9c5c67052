package cli

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// On a terminal, what takes long names how far it is and what it waits for, and takes the line away at its end.
func TestProgressOnATerminal(t *testing.T) {
	screen, terminal := openTerminal(t)
	sh := &shell{err: terminal}
	p := sh.progress(3)
	p.begin.Stop() // the test does not wait as long as a person does
	p.start("one")()
	stay := p.start("two\x1b[2J")
	p.show()
	screen.waitFor(t, "waiting for two", "1/3")
	p.start("three")
	screen.waitFor(t, "waiting for two", "three")
	stay()
	screen.waitFor(t, "waiting for three", "2/3")
	p.end()
	p.start("four")
	// Whatever was written before it is on the screen once this is.
	if _, err := terminal.WriteString("that is all"); err != nil {
		t.Fatal(err)
	}
	screen.waitFor(t, "that is all")
	seen := screen.text()
	if strings.Contains(seen, "\x1b[2J") || strings.Contains(seen, "four") {
		t.Errorf("the terminal was sent %q", seen)
	}
	lines := strings.Split(seen, "\r")
	if len(lines) < 3 || lines[len(lines)-1] != "that is all" {
		t.Fatalf("the line was not begun again after the last of %q", seen)
	}
	shown, over := lines[len(lines)-3], lines[len(lines)-2]
	if strings.Trim(over, " ") != "" || len(over) < utf8.RuneCountInString(strings.TrimRight(shown, " ")) {
		t.Errorf("the line %q was not taken away by %q", shown, over)
	}
}

// screen is the other side of a pseudo-terminal: what a person sees.
type screen struct {
	mu       sync.Mutex
	seen     bytes.Buffer
	keyboard io.Writer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

func (s *screen) waitFor(t *testing.T, words ...string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		lines := strings.Split(s.text(), "\r")
		line, all := lines[len(lines)-1], true
		for _, word := range words {
			all = all && strings.Contains(line, word)
		}
		if all {
			return
		}
	}
	t.Fatalf("the screen never showed %q; it was sent %q", words, s.text())
}

func openTerminal(t *testing.T) (*screen, *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 120}); err != nil {
		t.Fatal(err)
	}
	s := &screen{keyboard: master}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(s, master)
	}()
	t.Cleanup(func() {
		terminal.Close()
		master.Close()
		<-done
	})
	return s, terminal
}
