package facade

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/surface"
	"anvil/learn/view"
	"anvil/wire"
)

// Bounds of one walk of the upstream's tools.
const (
	maxPages = 1000
	maxTools = 20000
	maxBytes = 64 << 20
)

// roster is the outcome of one complete walk: what may be listed, and which exposed tools may not be called.
type roster struct {
	list   []byte             // the reply to tools/list, with the id null
	faults map[string]*change // exposed tool -> why it is withheld
	under  *exposed           // what it was held against
	walked time.Time          // when the walk began
	until  time.Time          // when the first of the approvals ends; zero: never

	reports bool // the facade's own tool is in the list
}

// envelope returns the reply to tools/list, for the receiver to change.
func (r *roster) envelope() wire.Envelope {
	e, err := wire.Scan(bytes.Clone(r.list))
	if err != nil {
		panic("facade: a list of our own is not JSON-RPC: " + err.Error())
	}
	return e
}

// upstreamRefusal is the upstream's own error reply to tools/list.
type upstreamRefusal struct{ reply wire.Envelope }

func (e *upstreamRefusal) Error() string { return "the server refused tools/list" }

// envelope returns a copy of the reply, for the receiver to change.
func (e *upstreamRefusal) envelope() wire.Envelope {
	c := e.reply
	c.Raw = bytes.Clone(c.Raw)
	return c
}

// walk collects the pages of one complete tools/list.
type walk struct {
	facade  *Facade
	session *session
	extra   []canon.Member // members of the first page's result beside the tools
	tools   [][]byte       // exposed tools whose contract holds, raw, in the upstream's order
	names   []string       // their names
	seen    map[string]int // exposed name -> how often it was offered
	faults  map[string]*change
	under   *exposed
	begun   time.Time
	count   int
	size    int
	rival   bool // the server has a tool of the name that the facade's own has, or one that reads like it
}

// walkTools asks for every page, within bounds.
func (s *session) walkTools(ctx context.Context) (*roster, error) {
	w := walk{facade: s.facade, session: s, seen: map[string]int{}, faults: map[string]*change{}, under: s.facade.exposed.Load(), begun: s.facade.now()}
	cursors := map[string]bool{}
	var params []byte
	for page := 0; ; page++ {
		if page >= maxPages {
			return nil, fmt.Errorf("the list of tools has more than %d pages", maxPages)
		}
		reply, err := s.ask(ctx, methodList, params)
		if err != nil {
			return nil, fmt.Errorf("list the upstream's tools: %w", err)
		}
		cursor, err := w.page(reply)
		if err != nil {
			return nil, err
		}
		if cursor == nil {
			return w.roster(), nil
		}
		if cursors[string(cursor)] {
			return nil, errors.New("the list of tools leads back to a page already read")
		}
		cursors[string(cursor)] = true
		params = append(append([]byte(`{"cursor":`), cursor...), '}')
	}
}

var errTwofold = errors.New("the list of tools gives one of its members twice, so that readers may differ on it")

// page takes one reply in and returns the raw cursor of the next page, nil after the last.
func (w *walk) page(reply wire.Envelope) (cursor []byte, err error) {
	if !present(reply.Result) {
		return nil, &upstreamRefusal{reply}
	}
	result, err := canon.Parse(reply.Bytes(reply.Result))
	if err != nil {
		return nil, fmt.Errorf("read the list of tools: %w", err)
	}
	if repeats(result, "tools") || repeats(result, "nextCursor") {
		return nil, errTwofold
	}
	if !result.Get("tools").IsArray() {
		return nil, errors.New("the list of tools is not an array")
	}
	if w.extra == nil {
		w.extra = w.unlike(result.Members)
	}
	w.size += len(result.Raw)
	w.count += len(result.Get("tools").Items)
	if w.size > maxBytes || w.count > maxTools {
		return nil, fmt.Errorf("the list of tools is beyond %d tools or %d bytes", maxTools, maxBytes)
	}
	for _, tool := range result.Get("tools").Items {
		w.tool(tool)
	}
	next := result.Get("nextCursor")
	text, isText := next.Str()
	switch {
	case next == nil, next.Is(canon.Null), isText && text == "":
		return nil, nil
	case !isText:
		return nil, errors.New("the list of tools has a cursor that is not a string")
	}
	return next.Raw, nil
}

// tool judges one tool of the upstream's.
func (w *walk) tool(tool *canon.Node) {
	name, ok := tool.Get("name").Str()
	w.rival = w.rival || alike(name, view.ReportTool)
	approved, exposed := w.under.tool(name, w.facade.now)
	if !ok || !exposed {
		return
	}
	w.seen[name]++
	if why := w.differs(tool, approved.Item); why != nil {
		w.faults[name] = why
		return
	}
	if w.under.Policy.List(name, w.session.client.Subject).Denies() {
		return // calls of it are refused by the same rule
	}
	w.tools = append(w.tools, tool.Raw)
	w.names = append(w.names, name)
}

// differs says why a tool of the upstream's is not served for the approved one, nil when it is.
func (w *walk) differs(tool *canon.Node, approved surface.Item) *change {
	item, err := surface.NewItem(surface.Tool, tool.Raw)
	var c *change
	var action pack.Action
	switch {
	case err != nil:
		c = &change{code: schemaMismatch, text: "it cannot be read: " + err.Error(), security: true}
	case hasDuplicates(tool):
		c = &change{code: schemaMismatch, text: "the server gives one of its members twice, so that readers may differ on it", security: true,
			way: "it can be approved once the server gives each once"}
	case disguise(tool) != "":
		c = &change{code: schemaMismatch, text: "the server gives it a member " + shown(disguise(tool)) + ", which some readers take for one of the protocol's", security: true}
	default:
		c, action = w.facade.drift.look(approved, item, w.facade.options.Serving.OnDrift)
	}
	if c != nil && action == "" {
		w.facade.drift.seize(approved, *c)
	}
	w.tell(approved.Name, tool.Raw, c, action)
	if c == nil || action == pack.Serve {
		return nil
	}
	return c
}

// tell tells the operator of a tool that is not as it was approved, once of each way it is and of what comes of it.
func (w *walk) tell(tool string, live []byte, c *change, action pack.Action) {
	if c == nil {
		if w.facade.drift.news(tool, "", "") {
			w.facade.logf("tool %s is as it was approved again", shown(tool))
		}
		return
	}
	outcome := "withheld"
	if action == pack.Serve {
		outcome = "served"
	}
	if w.facade.drift.news(tool, canon.Digest(live), outcome) {
		next := fmt.Sprintf("see the change with: anvil mcp diff %s %s", diag.ShellPath(w.facade.options.Name+"/snapshot.json"), cmp.Or(w.facade.options.Source, "TARGET"))
		if c.back {
			next = "approving it again lifts the quarantine: " + strings.TrimPrefix(w.facade.approval(tool), "run: ")
		}
		w.facade.logf("tool %s is %s: %s; %s", shown(tool), outcome, c, next)
	}
}

// unlike returns the members without those that some clients take for the tools or the cursor: the filter does not see
// what is in them.
func (w *walk) unlike(members []canon.Member) []canon.Member {
	kept := make([]canon.Member, 0, len(members))
	for _, m := range members {
		if isLookalike(m.Name, "tools", "nextCursor") {
			w.session.notes.logf("left a member %s out of the list of tools: some readers take it for another", shown(m.Name))
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// disguise returns a member of the tool or of its annotations that reads like one of the protocol's without being it.
func disguise(tool *canon.Node) string {
	for _, m := range tool.Members {
		if isLookalike(m.Name, "name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution", "_meta") {
			return m.Name
		}
	}
	annotations := tool.Get("annotations")
	if annotations == nil {
		return ""
	}
	for _, m := range annotations.Members {
		if isLookalike(m.Name, "title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint") {
			return m.Name
		}
	}
	return ""
}

func repeats(n *canon.Node, name string) bool {
	count := 0
	for _, m := range n.Members {
		if m.Name == name {
			count++
		}
	}
	return count > 1
}

func hasDuplicates(n *canon.Node) bool {
	for _, flaw := range n.Flaws() {
		if flaw.Kind == canon.DuplicateName {
			return true
		}
	}
	return false
}

// roster closes the walk.
func (w *walk) roster() *roster {
	var until time.Time
	for name, tool := range w.under.Tools {
		if end := tool.Until; !end.IsZero() && end.After(w.begun) && (until.IsZero() || end.Before(until)) {
			until = end
		}
		switch w.seen[name] {
		case 0:
			w.faults[name] = &change{code: schemaMismatch, text: "the server does not offer it any more", way: "there is nothing to approve while it is gone"}
		case 1:
		default:
			w.faults[name] = &change{code: schemaMismatch, text: "the server offers more than one tool of this name", way: "it can be approved once the server has one tool of that name"}
		}
	}
	if stop := w.facade.drift.stopped(); stop != "" {
		for name := range w.under.Tools {
			if w.faults[name] == nil {
				w.faults[name] = &change{code: w.stopCode(stop), text: "the server changed the tool " + shown(stop) + ", on which this pack withholds every tool (facade.yaml, onDrift: stop)"}
			}
		}
	}
	reports := w.offersReports()
	list := []byte(`{"jsonrpc":"2.0","id":null,"result":{`)
	for _, m := range w.extra {
		if m.Name == "nextCursor" {
			continue
		}
		if list[len(list)-1] != '{' {
			list = append(list, ',')
		}
		list = append(append(list, m.RawName...), ':')
		if m.Name == "tools" {
			list = w.appendTools(list, reports)
		} else if m.Name == "cacheScope" && w.under.Policy != nil { // one client's list may be another's not
			list = append(list, `"private"`...)
		} else {
			list = append(list, m.Value.Raw...)
		}
	}
	return &roster{list: append(list, "}}"...), faults: w.faults, under: w.under, walked: w.begun, until: until, reports: reports}
}

// stopCode is the code of the refusals of every tool, after a change of one.
func (w *walk) stopCode(tool string) string {
	if c := w.faults[tool]; c != nil {
		return c.code
	}
	return schemaMismatch
}

func (w *walk) appendTools(list []byte, reports bool) []byte {
	list = append(list, '[')
	for i, tool := range w.tools {
		if _, bad := w.faults[w.names[i]]; bad {
			continue
		}
		if list[len(list)-1] != '[' {
			list = append(list, ',')
		}
		list = append(list, tool...)
	}
	if reports {
		if list[len(list)-1] != '[' {
			list = append(list, ',')
		}
		list = append(list, reportTool...)
	}
	return append(list, ']')
}
