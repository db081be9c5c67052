// Package packcli is the command line of a pack: it reads what was typed against the pack's approved operations, makes the arguments of the call,
// holds them against the tool's schema, and writes the help and the completions.
//
// It stands between the pack's commands (compiler/pack/commands) and internal/cli, which reaches the server and makes the call. It starts and
// reads nothing itself: files and stdin come in as a function.
package packcli

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/commands"
	"anvil/internal/near"
)

// CLI is the command line of one pack at one moment.
type CLI struct {
	program  string // as a shell reads it
	server   string // command that starts the pack's own server, where PATH is searched for it
	name     string // of the program, without its folder
	dir      string
	document air.Document      // with the approvals that hold now
	lapsed   map[string]string // operation id -> why its approval holds no more
	commands []commands.Command
}

// Options say how a command line was started.
type Options struct {
	Called string    // the launcher as it was typed; "" when anvil was started itself
	Dir    string    // of the pack
	Server string    // command that starts the pack's own server; "" for none
	Now    time.Time // when approvals must hold
}

// New returns the command line of a document that is trusted.
func New(d air.Document, o Options) *CLI {
	now, findings := d.WithApprovals(pack.Approvals(d), o.Now)
	c := &CLI{dir: o.Dir, document: now, lapsed: map[string]string{}, commands: commands.Commands(now)}
	c.called(o, d.Service.ID)
	if !strings.Contains(o.Server, "/") {
		c.server = o.Server
	}
	for _, f := range findings {
		if id, ok := strings.CutPrefix(f.Subject, "operation/"); ok {
			c.lapsed[id] = f.Message
		}
	}
	return c
}

// FromCatalogue returns a command line that completes words, and is good for nothing else: a catalogue is read at once, a document is checked by
// building its pack again, which takes longer than somebody waits for a key.
func FromCatalogue(catalogue commands.Catalogue, o Options) *CLI {
	c := &CLI{dir: o.Dir, commands: catalogue.Commands}
	c.called(o, catalogue.Service.ID)
	return c
}

// called sets how the program is called.
func (c *CLI) called(o Options, service string) {
	c.program, c.name = "anvil pack run "+diag.ShellPath(o.Dir)+" --", service
	if o.Called != "" {
		c.program = diag.ShellPath(o.Called)
		if name := path.Base(o.Called); diag.Printable(name) == name { // it stands in scripts
			c.name = name
		}
	}
}

// UsageError is a line that cannot be done as it was typed.
type UsageError struct {
	Code     air.ErrorCode // why: of the line itself, of the command that it names, or of what may be called
	Problems []string      // one or more
	See      string        // the command that explains it; it may be empty
}

func (e *UsageError) Error() string {
	text := e.Problems[0]
	if len(e.Problems) > 1 {
		text = fmt.Sprintf("%d things are wrong, and nothing was called:\n  %s\n", len(e.Problems), strings.Join(e.Problems, "\n  "))
	}
	switch {
	case e.See == "":
		return strings.TrimSuffix(text, "\n")
	case strings.HasSuffix(text, "\n"):
		return text + "see `" + e.See + "`"
	}
	return text + "; see `" + e.See + "`"
}

// wrong is a problem with how c is called; nil stands for no command.
func (c *CLI) wrong(of *commands.Command, format string, args ...any) error {
	return &UsageError{Code: air.ErrValidation, Problems: []string{fmt.Sprintf(format, args...)}, See: c.helpLine(of)}
}

// unknown is a word that names no command.
func (c *CLI) unknown(format string, args ...any) error {
	return &UsageError{Code: air.ErrUnsupportedOperation, Problems: []string{fmt.Sprintf(format, args...)}, See: c.helpLine(nil)}
}

func (c *CLI) helpLine(of *commands.Command) string {
	if of == nil {
		return c.program + " --help"
	}
	return c.program + " " + of.Name + " --help"
}

// find returns the command of a name. Names are told apart exactly: what is merely like one is told in the error.
func (c *CLI) find(word string) (*commands.Command, error) {
	for i, cmd := range c.commands {
		if cmd.Name == word || cmd.Operation == word || slices.Contains(cmd.Aliases, word) {
			return &c.commands[i], nil
		}
	}
	if o, ok := c.hidden(word); ok {
		return nil, c.notExposed(word, o)
	}
	if ids := c.sharing(word); len(ids) > 0 {
		return nil, c.unknown("%s names several operations; name the one that is meant by its id: %s", quoted(word), strings.Join(ids, ", "))
	}
	return nil, c.unknown("there is no command %s%s", quoted(word), c.suggestion(word))
}

// hidden returns the operation that a word names and that is not exposed.
func (c *CLI) hidden(word string) (air.Operation, bool) {
	var found []air.Operation
	for _, o := range c.document.Operations {
		if slices.Contains(append(commands.Names(o), o.MCP.ToolName), word) {
			if o.State == air.StateApproved {
				return o, false
			}
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		return air.Operation{}, false
	}
	return found[0], true
}

func (c *CLI) notExposed(word string, o air.Operation) error {
	e := &UsageError{Code: air.ErrPolicyDenied, Problems: []string{fmt.Sprintf("%s is not approved, so it is no command; read what it does with `anvil mcp inspect %s`, and approve it with `anvil mcp approve %s %s`",
		quoted(word), diag.ShellPath(c.dir), diag.ShellPath(c.dir), diag.ShellWord(o.ID))}}
	switch lapsed := c.lapsed[o.ID]; {
	case o.State == air.StateBlocked:
		e.Problems[0] = fmt.Sprintf("%s cannot be called: %s", quoted(word), blocked(o))
	case lapsed != "":
		e.Problems[0] = fmt.Sprintf("%s is no command any more: %s; approve it again with `anvil mcp approve %s %s`", quoted(word), lapsed, diag.ShellPath(c.dir), diag.ShellWord(o.ID))
	}
	return e
}

// blocked says why nobody calls an operation: a person's decision, or what is wrong with it.
func blocked(o air.Operation) string {
	if o.Block != nil {
		return diag.Printable(o.Block.Story())
	}
	return "the operation is blocked: " + diag.Printable(strings.Join(o.ReviewNotes, "; "))
}

// sharing returns the ids of the operations that a word names.
func (c *CLI) sharing(word string) (ids []string) {
	for _, o := range c.document.Operations {
		if slices.ContainsFunc(commands.Names(o), func(name string) bool { return commands.Fold(name) == commands.Fold(word) }) {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) < 2 {
		return nil
	}
	return ids
}

// suggestion says what may have been meant.
func (c *CLI) suggestion(word string) string {
	var names []string
	for _, cmd := range c.commands {
		names = append(append(names, cmd.Name), cmd.Aliases...)
		if cmd.Tool == word || commands.Fold(cmd.Name) == commands.Fold(word) {
			return ": did you mean " + cmd.Name + "?"
		}
	}
	return near.Question(near.Names(word, names), "")
}

func quoted(s string) string { return `"` + diag.Printable(diag.ShortName(s)) + `"` }
