package adopt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// TestCorpusVerdicts compares what is inferred of every tool of the captured servers with testdata/corpus.txt: its name and the verdicts, and no word of
// a server's beside. A tool that several versions of a server have is there once for each set of verdicts. Every row was read; what a careful engineer
// would say otherwise of was corrected in the tables of verbs and names, never in the rows.
func TestCorpusVerdicts(t *testing.T) {
	var b strings.Builder
	b.WriteString("# server, tool: kind, action, resource, risk, idempotency, archetype; how it pages; how its end is seen. Written by go test -run TestCorpusVerdicts -update\n")
	rows, seen := 0, map[string]bool{}
	corpus.Each(t, func(_ *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		server, _, _ := strings.Cut(strings.TrimPrefix(name, "drift/"), "__")
		for _, o := range loweredOnce(s).Operations {
			if row := verdicts(server, o); !seen[row] {
				seen[row] = true
				b.WriteString(row)
				rows++
			}
		}
	})
	path := filepath.Join("testdata", "corpus.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	t.Logf("%d rows", rows)
}

// verdicts is the row of one tool.
func verdicts(server string, o air.Operation) string {
	row := fmt.Sprintf("%s %q: %s %s %s %s %s %s", server, o.MCP.ToolName, o.Effect.Kind, o.Effect.Action, orDash(o.Effect.Resource), o.Effect.Risk,
		o.Idempotency.Mode, o.Archetype)
	if p := o.Pagination; p != nil {
		row += fmt.Sprintf("; %s %q %q", p.Style, p.CursorParam, p.PageSizeParam)
	}
	if l := o.LongRunning; l != nil {
		row += fmt.Sprintf("; %s %s", l.Means, l.StatusOperation)
	}
	return row + "\n"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
