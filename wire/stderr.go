package wire

import (
	"bytes"
	"os"
	"sync"
)

const (
	stderrLines   = 200
	stderrBytes   = 64 << 10
	stderrLineMax = 4 << 10
)

// stderrLog keeps the last lines of a stream: the best diagnostic a dying server gives. Lines beyond stderrLineMax
// bytes are cut.
type stderrLog struct {
	mu      sync.Mutex
	lines   []string
	size    int
	partial []byte
}

func (s *stderrLog) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(b) > 0 {
		chunk, rest, ended := bytes.Cut(b, []byte{'\n'})
		if room := stderrLineMax - len(s.partial); room > 0 {
			s.partial = append(s.partial, chunk[:min(len(chunk), room)]...)
		}
		if ended {
			s.push()
		}
		b = rest
	}
}

func (s *stderrLog) push() {
	line := string(bytes.TrimSuffix(s.partial, []byte{'\r'}))
	s.partial = s.partial[:0]
	s.lines = append(s.lines, line)
	s.size += len(line)
	for len(s.lines) > stderrLines || s.size > stderrBytes {
		s.size -= len(s.lines[0])
		s.lines[0] = ""
		s.lines = s.lines[1:]
	}
}

func (s *stderrLog) last() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := append([]string(nil), s.lines...)
	if len(s.partial) > 0 {
		lines = append(lines, string(s.partial))
	}
	return lines
}

func (p *Process) collectStderr(f *os.File) {
	defer close(p.errDone)
	defer f.Close()
	r := &drainReader{f: f, exited: p.exited}
	buf := make([]byte, 8<<10)
	for {
		n, err := r.Read(buf)
		p.stderr.write(buf[:n])
		if err != nil {
			return
		}
	}
}
