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
	Pages          map[string]int         `json:"pages"`          // per list method, of the last time it was read
	Items          map[string][]int       `json:"items"`          // on each of those pages
	Beside         map[string][]canon.Raw `json:"beside"`         // per list method and page: what the result held beside the items (ttlMs, cacheScope, ...)
	Restarts       int                    `json:"restarts"`       // lists read again because they changed
	ListChanged    int                    `json:"listChanged"`    // change notices received
	ServerRequests map[string]int         `json:"serverRequests"` // requests of the server's, per method
	Oversized      []Oversized            `json:"oversized,omitzero"`
	Noise          map[string]int         `json:"noise"` // what broke a rule, per kind: of package wire, "stdout" lines, "byte-order-mark"
}

// Oversized is an oversized message: one beyond the limit.
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
	return Evidence{Pages: map[string]int{}, Items: map[string][]int{}, Beside: map[string][]canon.Raw{}, ServerRequests: map[string]int{}, Noise: map[string]int{}}
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

// reread forgets the pages of a list that is about to be read from the beginning.
func (e *Evidence) reread(method string) {
	delete(e.Pages, method)
	delete(e.Items, method)
	delete(e.Beside, method)
}

// page notes one page of a list: how many items it has, and what its result held beside them.
func (e *Evidence) page(method, list string, result *canon.Node) {
	e.Pages[method]++
	e.Items[method] = append(e.Items[method], len(result.Get(list).Elements()))
	var b canon.Builder
	for _, m := range result.Members {
		if m.Name != list {
			b.AddMember(m, m.Value.Canonical())
		}
	}
	e.Beside[method] = append(e.Beside[method], b.Bytes())
}

// oversized notes the oversized messages that a link met.
func (e *Evidence) oversized(met []wire.FrameTooLargeError) {
	for _, m := range met {
		o := Oversized{Limit: m.Limit, Bytes: m.Size, Whole: m.Whole, Kept: m.Kept}
		if m.KeepErr != nil {
			o.KeepErr = m.KeepErr.Error()
		}
		e.Oversized = append(e.Oversized, o)
	}
}

// oversizedMessageText says how large the largest of the oversized messages is.
func oversizedMessageText(met []Oversized) string {
	largest := slices.MaxFunc(met, func(a, b Oversized) int { return cmp.Compare(a.Bytes, b.Bytes) })
	size := fmt.Sprintf("a message of %d bytes", largest.Bytes)
	if !largest.Whole {
		size = fmt.Sprintf("a message of which %d bytes were read", largest.Bytes)
	}
	if len(met) > 1 {
		return fmt.Sprintf("%s, the largest of %d, is larger than the limit of %d bytes and was skipped", size, len(met), largest.Limit)
	}
	return fmt.Sprintf("%s is larger than the limit of %d bytes and was skipped (%s)", size, largest.Limit, times(len(met)))
}

// oversizedHint says where the oversized messages are kept, not all of them need be, or how to keep them.
func oversizedHint(met []Oversized) string {
	var kept []string
	failed, why := 0, ""
	for _, o := range met {
		switch {
		case o.Kept != "" && o.KeepErr != "":
			kept = append(kept, o.Kept+" (the start: "+o.KeepErr+")")
		case o.Kept != "":
			kept = append(kept, o.Kept)
		case o.KeepErr != "":
			failed, why = failed+1, cmp.Or(why, o.KeepErr)
		}
	}
	var hints []string
	switch {
	case len(met) == 1 && len(kept) == 1:
		hints = append(hints, "what was read of it is kept in "+kept[0])
	case len(kept) > 0:
		hints = append(hints, fmt.Sprintf("%d of %d are kept, as far as they were read: %s", len(kept), len(met), strings.Join(kept, ", ")))
	case failed == 0:
		hints = append(hints, "capture again with --evidence FILE to keep it on disk")
	}
	if failed > 0 && len(met) == 1 {
		hints = append(hints, "it could not be kept: "+why)
	} else if failed > 0 {
		hints = append(hints, fmt.Sprintf("%d could not be kept: %s", failed, why))
	}
	return strings.Join(append(hints, oversizedMessage.Hint), "; ")
}
