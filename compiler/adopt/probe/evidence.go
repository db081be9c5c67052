package probe

import (
	"anvil/compiler/canon"
	"anvil/wire"
)

// Evidence is how a capture went. It is volatile and never part of a snapshot.
type Evidence struct {
	ConnectMS      int64                  `json:"connectMs"`      // from the start to an open session, milliseconds
	ListMS         int64                  `json:"listMs"`         // reading and settling all lists
	Attempts       []Attempt              `json:"attempts"`       // to open a session
	Pages          map[string]int         `json:"pages"`          // per list method
	Beside         map[string][]canon.Raw `json:"beside"`         // per list method and page: what the result held beside the items (ttlMs, cacheScope, ...)
	Restarts       int                    `json:"restarts"`       // lists read again because they changed
	ListChanged    int                    `json:"listChanged"`    // change notices received
	ServerRequests map[string]int         `json:"serverRequests"` // requests of the server's, per method
	Noise          map[string]int         `json:"noise"`          // what broke a rule, per kind: of package wire, "stdout" lines, "byte-order-mark"
}

// Attempt is one way in which a session was tried to be opened.
type Attempt struct {
	Era     string `json:"era"`
	Method  string `json:"method"`
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitzero"`
}

func newEvidence() Evidence {
	return Evidence{Pages: map[string]int{}, Beside: map[string][]canon.Raw{}, ServerRequests: map[string]int{}, Noise: map[string]int{}}
}

func (e *Evidence) attempts(tried []wire.Attempt) {
	for _, t := range tried {
		a := Attempt{Era: string(t.Era), Method: t.Method, Outcome: t.Outcome}
		if t.Err != nil {
			a.Error = t.Err.Error()
		}
		e.Attempts = append(e.Attempts, a)
	}
}

// page notes one page of a list: what its result held beside the items.
func (e *Evidence) page(method, list string, result *canon.Node) {
	e.Pages[method]++
	var b canon.Builder
	for _, m := range result.Members {
		if m.Name != list {
			b.AddMember(m, m.Value.Canonical())
		}
	}
	e.Beside[method] = append(e.Beside[method], b.Bytes())
}
