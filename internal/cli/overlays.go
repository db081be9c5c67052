package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/config"
	"anvil/internal/near"
)

// overlaysFor returns what the configuration states of the tools of a server, each about an operation that is there. Everything that names
// no tool of its server is an error with file and line, and so is what seems to be about it by a slip; what is about a server that nobody knows is told.
func (sh *shell) overlaysFor(c *cli.Context, t config.Target, s *surface.McpSurfaceSnapshot) ([]air.Overlay, error) {
	file, err := sh.loadConfig(c)
	if file == nil || err != nil || len(file.Annotations) == 0 {
		return nil, err
	}
	d := adopt.Bridge(s)
	mine := t.Server.Name
	if mine == "" {
		mine = d.Service.ID
	}
	var overlays []air.Overlay
	var problems []error
	var passed []string
	unknown := map[string]bool{}
	for _, a := range file.Annotations {
		switch {
		case a.Server == mine:
			v := a.Overlay
			if v.Operation, err = annotated(d, a); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", file.Place(a.Pointer), err))
			}
			overlays = append(overlays, v)
		case !slices.Contains(file.Names(), a.Server) && !unknown[a.Server]:
			unknown[a.Server] = true
			if len(near.Names(a.Server, []string{mine})) > 0 {
				problems = append(problems, fmt.Errorf("%s: annotations are about a server %q, and none is called so: did you mean %q, which is adopted now? correct the name, or take the annotations out",
					file.Place(a.Pointer), a.Server, mine))
				continue
			}
			passed = append(passed, fmt.Sprintf("%s: annotations of a server %q are passed over: the configuration has none of that name, and the one that is adopted is called %q",
				file.Place(a.Pointer), diag.Printable(a.Server), mine))
		}
	}
	if len(problems) == 0 {
		for _, line := range passed {
			fmt.Fprintln(sh.err, line)
		}
	}
	return overlays, usage(errors.Join(problems...))
}

// annotated returns the id of the operation that an annotation is about.
func annotated(d air.Document, a config.Annotation) (string, error) {
	var ids, names []string
	for _, o := range d.Operations {
		names = append(names, o.MCP.ToolName)
		if o.MCP.ToolName == a.Tool {
			ids = append(ids, o.ID)
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		slices.Sort(names)
		return "", fmt.Errorf("annotations.%s is about a tool %q, which the server does not have (it has %s): correct the name, or take the annotation out",
			a.Server, a.Tool, diag.Shorten(diag.Printable(orNone(strings.Join(names, ", "))), 300))
	}
	return "", fmt.Errorf("annotations.%s is about %q, and %d tools of the server are called so: have the server rename them, or take the annotation out",
		a.Server, a.Tool, len(ids))
}

// decided joins what people decided of the server before, in the pack that is replaced, with what the configuration states now. What an
// overlay loosens holds for what its author saw: where the file does not say what that was, it is what the pack holds of it.
func (sh *shell) decided(c *cli.Context, earlier *pack.Pack, s *surface.McpSurfaceSnapshot, overlays []air.Overlay) (emit.Decided, []diag.Finding, error) {
	decided := emit.Decided{Overlays: slices.Clone(overlays)}
	bridged := adopt.Bridge(s)
	var was, before air.Document // before is was with the ids of now
	if earlier != nil {
		var err error
		if was, err = earlier.Document(); err != nil {
			return decided, nil, err
		}
		if decided.Lapses, err = emit.LapsesOf(earlier); err != nil {
			return decided, nil, err
		}
		for i := range decided.Lapses {
			a := &decided.Lapses[i].Approval
			a.Operation = was.Successor(a.Operation, bridged)
		}
		before = was.As(bridged)
		decided.Blocks = before.PersonsBlocks()
	}
	file, err := sh.loadConfig(c)
	if err == nil {
		err = overlooked(file, before, overlays, renaming{was.Service.ID, bridged.Service.ID})
	}
	if err != nil {
		return decided, nil, err
	}
	for i, v := range decided.Overlays {
		if v.Seen == "" {
			decided.Overlays[i].Seen = seenBefore(v.Operation, before, bridged)
		}
	}
	d, findings := bridged.WithOverlays(decided.Overlays)
	taken := d.Withdrawn(before)
	if earlier != nil {
		taken = append(taken, d.TakenBack(was)...)
	}
	return decided, taken, refusedOverlays(file, findings)
}

// renaming is what a server called itself, and what it does now, as ids of services.
type renaming struct{ before, now string }

// overlooked refuses to drop what an earlier pack was built with only because the file was not read, or the server was not called by its name.
func overlooked(file *config.File, before air.Document, overlays []air.Overlay, r renaming) error {
	for _, was := range before.Overlays() {
		if file == nil {
			return usagef("the pack was built with annotations of a configuration file (%s), and there is none here; nothing was written; name it with --config FILE", was.SourceRef)
		}
		stated := slices.ContainsFunc(overlays, func(v air.Overlay) bool { return v.Operation == was.Operation })
		for _, a := range file.Annotations {
			if stated || a.Overlay.SourceRef != was.SourceRef {
				continue
			}
			if a.Server == r.before && r.before != r.now {
				return usagef("%s: the pack was built with this annotation of the server %q, which calls itself %q now; nothing was written; call the section %q, or name the server in the "+
					"configuration and the section after that, or take the annotation out", file.Place(a.Pointer), a.Server, r.now, r.now)
			}
			return usagef("%s: the pack was built with this annotation of the server %q, and the server is not called so now; nothing was written; adopt it by that name, or take the annotation out",
				file.Place(a.Pointer), a.Server)
		}
	}
	return nil
}

// seenBefore is what the author of an overlay saw of an operation, where the overlay does not say.
func seenBefore(id string, before, now air.Document) string {
	was, known := before.Find(id)
	switch {
	case known && was.Overlay != nil && was.Overlay.Seen != "":
		return was.Overlay.Seen
	case known:
		return was.SeenDigest()
	}
	o, _ := now.Find(id)
	return o.SeenDigest()
}

// refusedOverlays is the error of overlays that cannot be taken as they are, each with file and line.
func refusedOverlays(file *config.File, findings []diag.Finding) error {
	var problems []error
	for _, f := range findings {
		if f.Class == diag.Error {
			problems = append(problems, fmt.Errorf("%s: %s: %s; nothing was written", file.Place(f.Pointer), f.Message, f.Hint))
		}
	}
	return usage(errors.Join(problems...))
}
