package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/wire"
)

const methodNotFound = -32601

// methodRefused are the HTTP statuses by which servers answer a method they do not know, instead of an error reply.
var methodRefused = []int{http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotImplemented}

// lists reads every announced list, and then asks for those that are not.
func (s *visit) lists(ctx context.Context) error {
	welcome, err := canon.Parse(s.capture.Initialize)
	if err != nil {
		return fail("handshake", NotMCP, fmt.Errorf("%w: %w", wire.ErrNotMCP, err))
	}
	announced := map[surface.Kind]bool{}
	for _, kind := range surface.Kinds {
		announced[kind] = welcome.Get("capabilities").Get(kind.Capability()) != nil
	}
	if err := s.announced(ctx, maps.Clone(announced)); err != nil {
		return err
	}
	s.unannounced(ctx, announced)
	return nil
}

// unannounced asks for the first page of each list that is not announced. What is there is reported and not captured: no client that keeps to the
// protocol shows it. It is the last thing that is asked, since some servers end over a method they do not know or never answer it, and a server
// that does not answer one is not asked on.
func (s *visit) unannounced(ctx context.Context, announced map[surface.Kind]bool) {
	ctx, cancel := context.WithTimeout(ctx, unannouncedWait)
	defer cancel()
	for _, kind := range surface.Kinds {
		if announced[kind] || kind == surface.ResourceTemplate { // which has no capability of its own
			continue
		}
		result, err := s.session.Call(ctx, kind.Method(), nil)
		if err != nil && !errors.As(err, new(*wire.RPCError)) && !errors.As(err, new(*wire.StatusError)) {
			return
		}
		page, err := canon.Parse(result)
		if err != nil || len(page.Get(kind.List()).Elements()) == 0 { // libraries answer every list method, with an empty list
			continue
		}
		f := capabilityMismatch.Finding("server", fmt.Sprintf("%s lists %d items, but capability %q is not announced",
			kind.Method(), len(page.Get(kind.List()).Elements()), kind.Capability()))
		f.Pointer, f.Hint = canon.Pointer("capabilities", kind.Capability()),
			"report it to the server's maintainers; clients that keep to the protocol do not ask for the list, and nobody approves what is in it"
		s.findings = append(s.findings, f.Sealed("unannounced"))
	}
}

// unannouncedWait bounds the time that is spent on what is not announced.
const unannouncedWait = 2 * time.Second

// announced reads every announced list, then waits until a server that had news is quiet, and reads again what changed meanwhile.
func (s *visit) announced(ctx context.Context, unread map[surface.Kind]bool) error {
	deadline := time.Now().Add(maxSettle)
	for restart := 0; ; restart++ {
		if err := s.walk(ctx, unread); err != nil {
			return err
		}
		if err := s.settle(ctx, deadline); err != nil {
			return err
		}
		if unread = s.takeDirty(unread); len(unread) == 0 {
			return nil
		}
		if restart == maxRestarts && s.isSteady(unread) {
			f := listChangeStorm.Finding("server", "changes of lists are announced without end, and the lists stay the same")
			s.findings = append(s.findings, f.Sealed())
			return nil
		}
		if restart == maxRestarts {
			return &Failure{Code: BrokenList, Stage: "listing", Err: fmt.Errorf("the lists kept changing while they were read, %d times over", restart)}
		}
		s.mu.Lock()
		s.evidence.Restarts++
		s.mu.Unlock()
	}
}

func (s *visit) walk(ctx context.Context, unread map[surface.Kind]bool) error {
	for _, kind := range surface.Kinds {
		if !unread[kind] {
			continue
		}
		s.mu.Lock()
		delete(s.dirty, kind)
		s.evidence.reread(kind.Method())
		s.mu.Unlock()
		before, again := s.capture.Lists[kind]
		items, err := s.list(ctx, kind)
		s.capture.Lists[kind] = items
		if err != nil {
			return err.with(s.capture.Lists)
		}
		s.steady[kind] = again && slices.EqualFunc(before, items, bytes.Equal)
	}
	return nil
}

// isSteady reports whether each of the lists came out twice in a row with the same items.
func (s *visit) isSteady(kinds map[surface.Kind]bool) bool {
	for kind := range kinds {
		if !s.steady[kind] {
			return false
		}
	}
	return true
}

// settle waits until a server that had news is quiet; at most until the deadline. One that had none costs no time.
func (s *visit) settle(ctx context.Context, deadline time.Time) error {
	for {
		s.mu.Lock()
		wait := max(remaining(s.lastChange, quietAfterChange), remaining(s.lastRequest, quietAfterRequest))
		s.mu.Unlock()
		if wait <= 0 || time.Now().After(deadline) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fail("listing", Unreachable, cause(ctx, ctx.Err()))
		case <-s.session.Done():
			return fail("listing", Unreachable, s.session.Err())
		case <-time.After(wait):
		}
	}
}

// remaining is how much of the period since moment is left; nothing when the moment never was.
func remaining(moment time.Time, period time.Duration) time.Duration {
	if moment.IsZero() {
		return 0
	}
	return time.Until(moment.Add(period))
}

// takeDirty returns the announced lists that changed since they were read.
func (s *visit) takeDirty(announced map[surface.Kind]bool) map[surface.Kind]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := map[surface.Kind]bool{}
	for kind := range s.dirty {
		if _, listed := s.capture.Lists[kind]; listed || announced[kind] {
			changed[kind] = true
		}
	}
	return changed
}

// list reads one list to its end. Items come as they were sent; with a failure they are those read until then.
func (s *visit) list(ctx context.Context, kind surface.Kind) ([][]byte, *Failure) {
	items, seen, size := [][]byte{}, map[string]bool{}, 0
	var params []byte
	for page := 1; ; page++ {
		result, err := s.ask(ctx, kind.Method(), params)
		if err != nil {
			return items, s.listFailure(ctx, kind, err)
		}
		node, err := canon.Parse(result)
		if err != nil {
			return items, &Failure{Code: BrokenList, Stage: kind.Method(), Err: err}
		}
		s.mu.Lock()
		s.evidence.page(kind.Method(), kind.List(), node)
		s.mu.Unlock()
		if size += len(result); size > maxBytes {
			return items, &Failure{Code: BrokenList, Stage: kind.Method(), Err: fmt.Errorf("the list is larger than %d MiB in all", maxBytes>>20)}
		}
		if err := s.checkPage(kind, node); err != nil {
			return items, err
		}
		for _, it := range node.Get(kind.List()).Elements() {
			items = append(items, it.Raw)
		}
		cursor := node.Get("nextCursor")
		if cursor.Text() == "" {
			return items, nil
		}
		if seen[cursor.Text()] || page == maxPages || len(items) > maxItems {
			s.findings = append(s.findings, pagingFinding(kind, page, len(items)))
			return items, nil
		}
		seen[cursor.Text()] = true
		params = []byte(`{"cursor":` + string(cursor.Raw) + `}`)
	}
}

// ask calls a list method. An error that names no request ends the one call that waits, though the server may yet answer it: the call is then
// made once more.
func (s *visit) ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	result, err := s.session.Call(ctx, method, params)
	if rpc := (*wire.RPCError)(nil); !errors.As(err, &rpc) || !rpc.NoID {
		return result, err
	}
	s.mu.Lock()
	s.repeated++
	s.mu.Unlock()
	return s.session.Call(ctx, method, params)
}

// checkPage refuses a result that holds no list, and reports one whose list or cursor is not what the protocol says.
func (s *visit) checkPage(kind surface.Kind, page *canon.Node) *Failure {
	list, cursor := page.Get(kind.List()), page.Get("nextCursor")
	if !page.IsObject() || list != nil && !list.IsArray() && !list.Is(canon.Null) {
		return &Failure{Code: BrokenList, Stage: kind.Method(), Err: fmt.Errorf("the result's %q is no list", kind.List())}
	}
	faults := map[string]string{}
	if list == nil || list.Is(canon.Null) {
		faults["/"+kind.List()] = "holds no list, which was read as an empty one"
	}
	if cursor != nil && !cursor.Is(canon.String) && !cursor.Is(canon.Null) {
		faults["/nextCursor"] = "has a cursor that is no text, which was read as the end"
	}
	seen := map[string]bool{}
	for _, m := range page.Members {
		if seen[m.Name] && (m.Name == kind.List() || m.Name == "nextCursor") {
			faults["/"+m.Name] = "gives a member twice, of which the last was read"
		}
		seen[m.Name] = true
	}
	for pointer, words := range faults {
		f := listMalformed.Finding("server", fmt.Sprintf("a result of %s %s", kind.Method(), words))
		f.Pointer, f.Hint = pointer, "report it to the server's maintainers; other clients may read more, less, or nothing"
		s.findings = append(s.findings, f.Sealed(kind.Method()))
	}
	return nil
}

// listFailure lets a server lack a list that its capability announces: that is a finding. Any other error ends the capture.
func (s *visit) listFailure(ctx context.Context, kind surface.Kind, err error) *Failure {
	var rpc *wire.RPCError
	var status *wire.StatusError
	switch {
	case errors.As(err, &rpc) && rpc.Code == methodNotFound, errors.As(err, &status) && slices.Contains(methodRefused, status.Code):
	case rpc != nil, isUnreadable(err):
		return fail(kind.Method(), BrokenList, err)
	default:
		return fail(kind.Method(), Unreachable, cause(ctx, err))
	}
	if kind != surface.ResourceTemplate { // optional in practice: most servers with resources have none
		f := capabilityMismatch.Finding("server", fmt.Sprintf("capability %q is announced, but the server does not know %s", kind.Capability(), kind.Method()))
		f.Pointer, f.Hint = canon.Pointer("capabilities", kind.Capability()), "report it to the server's maintainers; clients show it as having none"
		s.findings = append(s.findings, f.Sealed())
	}
	return nil
}

// isUnreadable reports whether err is about an answer that came and could not be read.
func isUnreadable(err error) bool {
	return errors.As(err, new(*wire.FrameTooLargeError)) ||
		errors.Is(err, wire.ErrSyntax) || errors.Is(err, wire.ErrTruncated) || errors.Is(err, wire.ErrDepth)
}

func pagingFinding(kind surface.Kind, pages, items int) diag.Finding {
	f := pagingLoop.Finding("server", fmt.Sprintf("%s does not end: its cursors repeat or exceed the bounds (%d pages, %d items read)", kind.Method(), pages, items))
	f.Pointer, f.Hint = "/nextCursor", "report it to the server's maintainers; the list was cut where it began to repeat"
	return f.Sealed(kind.Method())
}
