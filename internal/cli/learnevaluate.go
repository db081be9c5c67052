package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/conclude"
)

func (sh *shell) learnEvaluateCommand() *cli.Command {
	return &cli.Command{
		Name: "evaluate", Usage: "draw conclusions from what was observed, and withdraw those that no longer hold",
		Description: `Judges every tool and every workflow, draws recommendations, and prints each insight that is new, changed or withdrawn, and those that stand: ` + "`serve --learn`" + ` concludes as it goes. Equal evidence changes nothing.
Of what no --pack says what it does, nothing is advised to be tried again.`,
		Flags: learnFlags(append(adviceFlags(),
			&cli.BoolFlag{Name: "dry-run", Usage: "write nothing: print what would change"},
			formatFlag("text", "json", "yaml"),
		)...),
		Action: sh.learnEvaluate,
	}
}

// learnEvaluated is what evaluate prints.
type learnEvaluated struct {
	SchemaVersion int         `json:"schemaVersion"`
	Report        string      `json:"report"`
	DryRun        bool        `json:"dryRun"`
	Tools         int         `json:"tools"`    // that were judged
	Sessions      int         `json:"sessions"` // that were looked at
	Changed       int         `json:"changed"`  // insights of tools that came, changed or went
	Changes       []changeRow `json:"changes"`  // of them at most 2,000, and those of workflows
	Standing      int         `json:"standing"` // insights of tools that were concluded before, such as by `serve --learn`, and hold
	Stands        []standRow  `json:"stands"`   // of them at most 1,000
}

// standRow is an insight of a tool that was there before and holds.
type standRow struct {
	Server   string    `json:"server,omitzero"`
	Tool     string    `json:"tool"`
	Contract string    `json:"contract,omitzero"`
	Key      string    `json:"key"`
	Value    canon.Raw `json:"value"`
	Samples  int64     `json:"samples"` // it rests on
}

// changeRow is an insight that came, changed or went, of a tool or of a workflow.
type changeRow struct {
	Server   string    `json:"server,omitzero"`
	Tool     string    `json:"tool,omitzero"`
	Contract string    `json:"contract,omitzero"`
	Workflow string    `json:"workflow,omitzero"`
	Key      string    `json:"key"`
	Change   string    `json:"change"`       // new, changed or withdrawn
	Was      canon.Raw `json:"was,omitzero"` // absent where it is new
	Now      canon.Raw `json:"now,omitzero"` // absent where it is withdrawn
	Samples  int64     `json:"samples"`      // it rests on, or rested on
}

func (sh *shell) learnEvaluate(c *cli.Context) (err error) {
	format, err := parseFormat(c, "text", "json", "yaml")
	if err = cmp.Or(err, sh.noArguments(c, 0)); err != nil {
		return err
	}
	advice, err := sh.advice(c)
	if err != nil {
		return err
	}
	s, err := sh.readStore(c)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	defer sh.keepsWaiting("judging what was observed\n")()
	result, err := conclude.All(sh.ctx, s, sh.now(), conclude.Options{Advice: advice, DryRun: c.Bool("dry-run")})
	if err != nil {
		return err
	}
	report := evaluatedOf(result, c.Bool("dry-run"))
	return sh.printed("", format, report, func() ([]byte, error) { return report.text(result.Cut), nil })
}

func evaluatedOf(r conclude.Result, dry bool) learnEvaluated {
	v := learnEvaluated{SchemaVersion: diag.SchemaVersion, Report: "learn-evaluate", DryRun: dry, Tools: r.Tools, Sessions: r.Sessions, Changed: r.Changed, Changes: []changeRow{},
		Standing: r.Stand, Stands: []standRow{}}
	for _, s := range r.Stands {
		// What several tools show together is written before a tool is judged, and is found there when it is.
		if slices.ContainsFunc(r.Changes, func(c learn.Change) bool { return c.Tool == s.Tool && c.Key == s.Insight.Key }) {
			v.Standing--
			continue
		}
		v.Stands = append(v.Stands, standRow{s.Tool.Server, s.Tool.Name, s.Tool.Contract, s.Insight.Key, s.Insight.Value, s.Insight.N})
	}
	for _, c := range r.Changes {
		v.Changes = append(v.Changes, changeRow{c.Tool.Server, c.Tool.Name, c.Tool.Contract, "", c.Key, c.Word(), c.Was, c.Now, c.Samples})
	}
	for _, c := range r.Workflows {
		v.Changes = append(v.Changes, changeRow{Workflow: c.Workflow, Key: c.Key, Change: learn.Change{Was: c.Was, Now: c.Now}.Word(), Was: c.Was, Now: c.Now, Samples: c.Samples})
	}
	return v
}

func (v learnEvaluated) text(cut bool) []byte {
	var b bytes.Buffer
	t := diag.NewTable(&b)
	for _, c := range v.Changes {
		of := c.Tool
		if c.Server != "" {
			of = c.Server + "/" + c.Tool
		}
		if c.Workflow != "" {
			of = "workflow " + c.Workflow
			if session, unnamed := strings.CutPrefix(c.Workflow, "session:"); unnamed {
				of = "session " + session
			}
		}
		value := inWords(c.Now)
		switch c.Change {
		case "withdrawn":
			value = "it was " + inWords(c.Was)
		case "changed":
			value = inWords(c.Was) + " -> " + inWords(c.Now)
		}
		t.Row(c.Change, brief(of), brief(c.Key), fmt.Sprintf("%s  (n %d)", diag.Shorten(diag.Printable(value), maxPageCell), c.Samples))
	}
	for _, s := range v.Stands[:min(len(v.Stands), maxStands)] {
		t.Row("stands", brief(learn.Tool{Server: s.Server, Name: s.Tool}.String()), brief(s.Key), fmt.Sprintf("%s  (n %d)", diag.Shorten(diag.Printable(inWords(s.Value)), maxPageCell), s.Samples))
	}
	_ = t.Flush()
	if len(v.Changes)+len(v.Stands) > 0 {
		b.WriteString("\n")
	}
	would := map[bool]string{true: "would be ", false: ""}[v.DryRun]
	fmt.Fprintf(&b, "%s and %s judged; %s\n", counted(v.Tools, "tool"), counted(v.Sessions, "session"), strings.TrimSpace(v.counts(would)))
	if v.Standing > 0 {
		fmt.Fprintf(&b, "%s concluded before, as serve --learn does, still hold", counted(v.Standing, "insight"))
		if v.Standing > maxStands {
			fmt.Fprintf(&b, "; %d are not listed here", v.Standing-maxStands)
		}
		b.WriteString("\n")
	}
	if told := v.told(); told < v.Changed {
		fmt.Fprintf(&b, "%d more changes of tools are not told here; `anvil learn stats TOOL` has the history of one\n", v.Changed-told)
	}
	if cut {
		b.WriteString("there are more calls of sessions than are looked at: workflows are judged by the latest\n")
	}
	return b.Bytes()
}

// maxStands is how many insights are listed that hold as before.
const maxStands = 40

// inWords is a value as a line tells it: that of an object by its members, without the marks of JSON.
func inWords(value canon.Raw) string {
	n, err := canon.Parse(value)
	if err != nil || len(n.Members) == 0 {
		return string(value)
	}
	var parts []string
	for _, m := range n.Members {
		said, isText := m.Value.Str()
		if !isText {
			said = string(m.Value.Raw)
		}
		parts = append(parts, m.Name+" "+said)
	}
	return strings.Join(parts, ", ")
}

func (v learnEvaluated) told() (n int) {
	for _, c := range v.Changes {
		if c.Workflow == "" {
			n++
		}
	}
	return n
}

func (v learnEvaluated) counts(would string) string {
	n := map[string]int{}
	for _, c := range v.Changes {
		n[c.Change]++
	}
	if len(v.Changes) == 0 {
		return "nothing " + map[bool]string{true: "would change", false: "changed"}[v.DryRun]
	}
	return fmt.Sprintf("%s%d new, %d changed, %d withdrawn", would, n["new"], n["changed"], n["withdrawn"])
}
