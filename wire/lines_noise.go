package wire

import (
	"bytes"
	"sync"
)

const (
	noiseLines = 8       // lines of noise kept
	noiseBytes = 2 << 10 // bytes kept of each
)

// noiseLog keeps the first lines of output that were not messages, and counts all of them.
type noiseLog struct {
	mu    sync.Mutex
	lines [][]byte
	count int
	bom   bool
}

// addAll adds each line of text, and returns nil.
func (n *noiseLog) addAll(text []byte) []byte {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		if len(line) > 0 {
			n.add(line)
		}
	}
	return nil
}

func (n *noiseLog) add(line []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count++
	if len(n.lines) < noiseLines {
		n.lines = append(n.lines, bytes.Clone(line[:min(len(line), noiseBytes)]))
	}
}
