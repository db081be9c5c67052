package exchange

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// Traces beyond what is held are closed, the oldest first, and nothing is lost.
func TestOpenTracesAreBounded(t *testing.T) {
	const most = 2 << 20
	in := &watched{r: &manySpans{most: 12_000}, each: 512 << 10}
	ids := map[string]bool{}
	for e, err := range readOTLP(in, Options{}, most) {
		if err != nil {
			t.Fatal(err)
		}
		ids[e.ID] = true
	}
	if len(ids) != 12_000 {
		t.Errorf("%d events", len(ids))
	}
	t.Logf("%d MiB read, %d MiB held", in.read>>20, in.peak>>20)
	if in.peak > 5*most { // the ids of this test are in it
		t.Errorf("%d MiB were held", in.peak>>20)
	}
}

// manySpans is one document of one resource with many spans, each of its own trace.
type manySpans struct {
	n, most int
	text    []byte
}

func (m *manySpans) Read(b []byte) (int, error) {
	for len(m.text) == 0 {
		switch {
		case m.n == 0:
			m.text = []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`)
		case m.n <= m.most:
			s := strings.Replace(made("a1", 3, mcp, tool), trace1, fmt.Sprintf("%032x", m.n), 1)
			if m.n > 1 {
				s = "," + s
			}
			m.text = []byte(s)
		case m.n == m.most+1:
			m.text = []byte(`]}]}]}`)
		default:
			return 0, io.EOF
		}
		m.n++
	}
	n := copy(b, m.text)
	m.text = m.text[n:]
	return n, nil
}

// A long chain and a wide fan are joined in time that grows with their size.
func TestJoiningIsLinear(t *testing.T) {
	const n = 40_000
	id := func(kind, i int) (id spanID) {
		binary.BigEndian.PutUint64(id[:], uint64(kind)<<32|uint64(i))
		return id
	}
	var tr trace
	for i := 1; i <= n; i++ {
		server := &call{kind: kindServer, request: "1", from: new(resource)}
		client := &call{kind: kindClient, request: "1", from: new(resource), session: true}
		client.event.Session = fmt.Sprint(i)
		server.event.Session, server.session = "another", true
		tr.spans = append(tr.spans, span{id: id(1, i), parent: id(1, i+1)}, span{id: id(2, i), parent: id(1, i), call: server}, span{id: id(3, i), call: client})
	}
	begin := time.Now()
	if got := len(tr.calls()); got != 2*n {
		t.Errorf("%d calls", got)
	}
	// It takes a tenth of a second; with a square in it, minutes.
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("%d spans were joined in %v", 3*n, took)
	}
}
