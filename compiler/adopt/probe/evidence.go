package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	Oversized      []Oversized            `json:"oversized,omitzero"`
	Noise          map[string]int         `json:"noise"` // what broke a rule, per kind: of package wire, "stdout" lines, "byte-order-mark"
}

// Oversized is a message beyond the limit.
type Oversized struct {
	Limit   int    `json:"limit"`            // bytes
	Bytes   int64  `json:"bytes"`            // read of it, or announced
	Whole   bool   `json:"whole"`            // that is all of it
	Kept    string `json:"kept,omitzero"`    // the file that holds what was read of it
	KeepErr string `json:"keepErr,omitzero"` // why it was not kept, or not as far as it was read, though it was to be
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

// oversized notes the messages beyond the limit that a link met.
func (e *Evidence) oversized(met []wire.FrameTooLargeError) {
	for _, m := range met {
		o := Oversized{Limit: m.Limit, Bytes: m.Size, Whole: m.Whole, Kept: m.Kept}
		if m.KeepErr != nil {
			o.KeepErr = m.KeepErr.Error()
		}
		e.Oversized = append(e.Oversized, o)
	}
}

// tellOversized says how large the largest of the messages beyond the limit is, and where to look at them or how to keep them.
func tellOversized(met []Oversized) (message, hint string) {
	largest := slices.MaxFunc(met, func(a, b Oversized) int { return cmp.Compare(a.Bytes, b.Bytes) })
	size := fmt.Sprintf("a message of %d bytes", largest.Bytes)
	if !largest.Whole {
		size = fmt.Sprintf("a message of which %d bytes were read", largest.Bytes)
	}
	message = fmt.Sprintf("%s is larger than the limit of %d bytes and was skipped (%s)", size, largest.Limit, times(len(met)))
	if len(met) > 1 {
		message = fmt.Sprintf("%s, the largest of %d, is larger than the limit of %d bytes and was skipped", size, len(met), largest.Limit)
	}
	var kept []string
	failed := ""
	for _, o := range met {
		if o.Kept != "" {
			kept = append(kept, o.Kept)
		} else if o.KeepErr != "" {
			failed = o.KeepErr
		}
	}
	switch {
	case len(kept) > 0:
		hint = "what was read of it is kept in " + strings.Join(kept, ", ")
	case failed != "":
		hint = "it could not be kept: " + failed
	default:
		hint = "capture again with --evidence FILE to keep it on disk"
	}
	return message, hint + "; " + oversizedMessage.Hint
}
