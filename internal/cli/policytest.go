package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/schema"
	"anvil/facade/policy"
	"anvil/learn/profile"
)

func (sh *shell) policyTestCommand() *cli.Command {
	return &cli.Command{
		Name: "test", Usage: "print what the rules decide of every operation of a pack", ArgsUsage: "PACK",
		Description: `Holds the rules of the pack and of the configuration against every operation, as serve does, and prints for each whether it is listed and what comes of a
call. What the caller or the arguments decide is named, unless they are given. Nothing is called. Rules that do not fit are an error (exit 2).`,
		Flags: []cli.Flag{
			configFlag(), formatFlag("text", "json"),
			&cli.StringFlag{Name: "caller", Usage: "decide for the caller of this `NAME`; '' is nobody"},
			&cli.StringSliceFlag{Name: "arg", Usage: "decide for calls with the argument `NAME=VALUE`, of the operations that have it; may be repeated"},
			&cli.StringFlag{Name: "json", Usage: "decide for calls with these arguments, one JSON `OBJECT`, or - for stdin"},
		},
		Action: sh.policyTest,
	}
}

// policyReport is what policy test prints.
type policyReport struct {
	SchemaVersion int               `json:"schemaVersion"`
	Report        string            `json:"report"`
	Folder        string            `json:"folder"`
	Policies      []policyOfReport  `json:"policies"`
	Caller        *string           `json:"caller,omitempty"` // absent: any
	Operations    []policyOperation `json:"operations"`
}

type policyOfReport struct {
	Source  string            `json:"source"`
	Default pack.PolicyAction `json:"default"`
	Rules   int               `json:"rules"`
}

// policyOperation is a row: what is decided of an operation once it is approved.
type policyOperation struct {
	Operation string         `json:"operation"`
	Tool      string         `json:"tool"`
	State     air.State      `json:"state"` // only an approved one is served, whatever the rules say
	List      policyDecision `json:"list"`
	Call      policyDecision `json:"call"`
	Results   []string       `json:"results,omitempty"` // ids of the rules that its results are held against
}

type policyDecision struct {
	Action    pack.PolicyAction `json:"action"`              // where dependsOn is given: if none of the rules it names holds
	DependsOn []string          `json:"dependsOn,omitempty"` // arguments, caller
	OpenRules []string          `json:"openRules,omitempty"` // ids of the rules that it hangs on
	Rule      string            `json:"rule,omitzero"`       // id of the rule that decides; absent for the default
	Source    string            `json:"source,omitzero"`     // where that stands
	Reason    string            `json:"reason,omitzero"`
	Failed    bool              `json:"failed,omitzero"` // the rule cannot be decided, which denies
}

func (sh *shell) policyTest(c *cli.Context) error {
	format, err := parseFormat(c, "text", "json")
	if err != nil {
		return err
	}
	if err := sh.noArguments(c, 1); err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("say which pack: anvil policy test PACK")
	}
	p, document, err := openToCall(c.Args().First())
	if err != nil {
		return err
	}
	set, err := sh.policyOf(c, p, document, sh.logger())
	if err != nil {
		return err
	}
	report := policyReport{SchemaVersion: diag.SchemaVersion, Report: "policy", Folder: p.Dir, Policies: []policyOfReport{}, Operations: []policyOperation{}}
	sources, err := sh.rulesOf(c, p, document.Service.ID, ruled(document, profile.Document{}))
	if err != nil {
		return err
	}
	for _, s := range sources {
		action := pack.PolicyAllow
		if s.Policy.Default == pack.PolicyDeny {
			action = pack.PolicyDeny
		}
		report.Policies = append(report.Policies, policyOfReport{s.Name, action, len(s.Policy.Rules)})
	}
	if c.IsSet("caller") {
		caller := c.String("caller")
		report.Caller = &caller
	}
	now, _ := document.WithApprovals(pack.Approvals(document), sh.now())
	if report.Operations, err = sh.policyRows(c, set, now.Operations, report.Caller); err != nil {
		return err
	}
	if format == "json" {
		data, err := reportBytes(report, format)
		if err != nil {
			return err
		}
		return sh.writeResult("", data)
	}
	return sh.writeResult("", report.text())
}

func (sh *shell) policyRows(c *cli.Context, set *policy.Set, operations []air.Operation, caller *string) ([]policyOperation, error) {
	rows, given := []policyOperation{}, c.IsSet("json") || c.IsSet("arg")
	var whole []byte
	if c.IsSet("json") {
		data, err := sh.callArguments(c, nil)
		if err != nil {
			return nil, err
		}
		whole = data
	}
	taken := !given || whole != nil
	for _, o := range operations {
		arguments := whole
		if root, err := canon.Parse(o.Input.Schema); err == nil && given && whole == nil && hasAll(root, c.StringSlice("arg")) {
			if arguments, err = objectOfArguments(c.StringSlice("arg"), root); err != nil {
				return nil, fmt.Errorf("operation %s: %w", o.ID, err)
			}
			taken = true
		}
		list, call, results := set.Table(o.MCP.ToolName, policy.Asked{Caller: caller, Arguments: arguments})
		rows = append(rows, policyOperation{o.ID, o.MCP.ToolName, o.State, decisionOf(list), decisionOf(call), results})
	}
	if !taken {
		return nil, usagef("no operation of the pack has all the arguments of --arg; see what each has with: anvil mcp review PACK")
	}
	return rows, nil
}

// hasAll reports whether a schema has every argument that --arg names.
func hasAll(root *canon.Node, pairs []string) bool {
	properties := schema.Properties(root)
	return !slices.ContainsFunc(pairs, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.ContainsFunc(properties, func(p schema.NamedMember) bool { return p.Name == name })
	})
}

func decisionOf(o policy.Outcome) policyDecision {
	d := policyDecision{Action: o.Action, DependsOn: o.Hangs, OpenRules: o.Rules, Rule: o.Rule, Source: o.Source, Reason: o.Reason, Failed: o.Failed}
	if d.Rule == "" && d.Action == pack.PolicyAllow {
		d.Source = ""
	}
	return d
}

func (r policyReport) text() []byte {
	var b bytes.Buffer
	if len(r.Policies) == 0 {
		fmt.Fprintf(&b, "no policy holds for %s: what is approved may be called\n\n", diag.Printable(r.Folder))
	}
	for _, p := range r.Policies {
		fmt.Fprintf(&b, "%s: %s, default %s\n", diag.Printable(p.Source), counted(p.Rules, "rule"), p.Default)
	}
	if len(r.Policies) > 0 {
		fmt.Fprintln(&b)
	}
	w := diag.NewTable(&b)
	fmt.Fprintln(w, "OPERATION\tSTATE\tLIST\tCALL\tRULE\tREASON")
	closed := false
	for _, o := range r.Operations {
		list, call := o.List.words(true), o.Call.words(false)
		if o.State != air.StateApproved {
			list, call, closed = "-", "-", true
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", diag.Printable(o.Operation), o.State, list, call, orDash(o.rules()), orDash(diag.Printable(o.Call.Reason)))
	}
	_ = w.Flush()
	if closed {
		fmt.Fprintln(&b, "\noperations which are not approved are neither listed nor called, whatever the rules say")
	}
	return b.Bytes()
}

// words are a cell of the table.
func (d policyDecision) words(list bool) string {
	word := string(d.Action)
	if list {
		word = map[pack.PolicyAction]string{pack.PolicyAllow: "shown", pack.PolicyConfirm: "shown", pack.PolicyDeny: "hidden"}[d.Action]
	}
	if len(d.DependsOn) > 0 {
		return "depends on " + strings.Join(d.DependsOn, " and ")
	}
	return word
}

// rules are the rules that decide, or may.
func (o policyOperation) rules() string {
	ids := o.Call.OpenRules
	if o.Call.Rule != "" && !slices.Contains(ids, o.Call.Rule) {
		ids = append([]string{o.Call.Rule}, ids...)
	}
	words := strings.Join(ids, ", ")
	if len(o.Results) > 0 {
		words = strings.TrimPrefix(words+", of results: "+strings.Join(o.Results, ", "), ", ")
	}
	return words
}
