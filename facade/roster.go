package facade

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
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
	list   []byte              // the reply to tools/list, with the id null
	faults map[string]withheld // exposed tool -> why it is withheld
}

// withheld is why a tool is withheld.
type withheld struct{ code, text, way string } // way leads on, where approving it does not

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
	faults  map[string]withheld
	count   int
	size    int
}

// walkTools asks for every page, within bounds.
func (s *session) walkTools(ctx context.Context) (*roster, error) {
	w := walk{facade: s.facade, session: s, seen: map[string]int{}, faults: map[string]withheld{}}
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
	approved, exposed := w.facade.options.Expose[name]
	if !ok || !exposed {
		return
	}
	w.seen[name]++
	if why := w.differs(tool, approved); why != (withheld{}) {
		w.faults[name] = why
		return
	}
	w.tools = append(w.tools, tool.Raw)
	w.names = append(w.names, name)
}

// differs says why a tool of the upstream's is not served for the approved one; the zero value when it is.
func (w *walk) differs(tool *canon.Node, approved surface.Item) withheld {
	item, err := surface.NewItem(surface.Tool, tool.Raw)
	switch {
	case err != nil:
		return withheld{code: schemaMismatch, text: "it cannot be read: " + err.Error()}
	case hasDuplicates(tool):
		return withheld{code: schemaMismatch, text: "the server gives one of its members twice, so that readers may differ on it", way: "it can be approved once the server gives each once"}
	case disguise(tool) != "":
		return withheld{code: schemaMismatch, text: "the server gives it a member " + shown(disguise(tool)) + ", which some readers take for one of the protocol's"}
	case item.ContractDigest() != approved.ContractDigest():
		return withheld{code: schemaMismatch, text: "its contract is not the one that was approved"}
	case item.TextDigest() == approved.TextDigest():
		return withheld{}
	}
	if unsafe := w.facade.texts.judge(approved, item); unsafe != "" {
		w.session.tools.noteText(item.Name, "withheld, since "+unsafe)
		return withheld{code: textChanged, text: "its text is not the one that was approved: " + unsafe}
	}
	w.session.tools.noteText(item.Name, "served, since blanks and letter case alone are other")
	return withheld{}
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
	for name := range w.facade.options.Expose {
		switch w.seen[name] {
		case 0:
			w.faults[name] = withheld{code: schemaMismatch, text: "the server does not offer it any more", way: "there is nothing to approve while it is gone"}
		case 1:
		default:
			w.faults[name] = withheld{code: schemaMismatch, text: "the server offers more than one tool of this name", way: "it can be approved once the server has one tool of that name"}
		}
	}
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
			list = w.appendTools(list)
		} else {
			list = append(list, m.Value.Raw...)
		}
	}
	return &roster{list: append(list, "}}"...), faults: w.faults}
}

func (w *walk) appendTools(list []byte) []byte {
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
	return append(list, ']')
}
