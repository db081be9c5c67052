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
)

// overlaysFor returns what the configuration states of the tools of a server, each about an operation that is there. Everything that names
// no server and no tool is an error with file and line.
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
			problems = append(problems, fmt.Errorf("%s: annotations are about a server %q, and none is called so; this one is called %q: correct the name, or take the annotations out",
				file.Place(a.Pointer), a.Server, mine))
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
	var before air.Document
	if earlier != nil {
		var err error
		if before, err = earlier.Document(); err != nil {
			return decided, nil, err
		}
		if decided.Lapses, err = emit.LapsesOf(earlier); err != nil {
			return decided, nil, err
		}
		decided.Blocks = before.PersonsBlocks()
	}
	file, err := sh.loadConfig(c)
	if err == nil {
		err = overlooked(file, before, overlays)
	}
	if err != nil {
		return decided, nil, err
	}
	bridged := adopt.Bridge(s)
	for i, v := range decided.Overlays {
		if v.Seen == "" {
			decided.Overlays[i].Seen = seenBefore(v.Operation, before, bridged)
		}
	}
	d, findings := bridged.WithOverlays(decided.Overlays)
	return decided, d.Withdrawn(before), refusedOverlays(file, findings)
}

// overlooked refuses to drop what an earlier pack was built with only because the file was not read, or the server was not called by its name.
func overlooked(file *config.File, before air.Document, overlays []air.Overlay) error {
	for _, was := range before.Overlays() {
		if file == nil {
			return usagef("the pack was built with annotations of a configuration file (%s), and there is none here; nothing was written; name it with --config FILE", was.SourceRef)
		}
		stated := slices.ContainsFunc(overlays, func(v air.Overlay) bool { return v.Operation == was.Operation })
		for _, a := range file.Annotations {
			if !stated && a.Overlay.SourceRef == was.SourceRef {
				return usagef("%s: the pack was built with this annotation of the server %q, and the server is not called so now; nothing was written; adopt it by that name, or take the annotation out",
					file.Place(a.Pointer), a.Server)
			}
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
