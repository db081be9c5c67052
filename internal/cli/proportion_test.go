package cli

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// No format of an inspection takes more bytes than these: so many for each byte of the surface, for each tool and for any surface. Of each tool JSON
// says what it costs, by parts, and which clients do not take it, however little the server says.
const (
	reportShare = 6
	reportTool  = 1500
	reportFloor = 6 << 20
)

// TestReportsStayInProportion inspects surfaces that are made to write long reports, and renders them in every format.
func TestReportsStayInProportion(t *testing.T) {
	for name, tools := range map[string]func() []string{
		"names alike": func() (tools []string) {
			for i := range 100 {
				tools = append(tools, fmt.Sprintf(`{"name":"%score:%s%d","description":"%d","inputSchema":{"type":"string"}}`, []string{"c", "\\u0441"}[i/2%2], strings.Repeat("x", 900), i/4, i))
			}
			return tools
		},
		"short names": func() (tools []string) {
			for i := range 1500 {
				tools = append(tools, fmt.Sprintf(`{"name":"%so:%d","inputSchema":{}}`, []string{"c", "\\u0441"}[i%2], i/3))
			}
			return tools
		},
		"tag characters": func() (tools []string) {
			hidden := strings.Repeat("\U000E0041\U000E0042", 20)
			for i := range 100 {
				tools = append(tools, fmt.Sprintf(`{"name":"%s%d","description":"%s","inputSchema":{"type":"object","properties":{"%s":{"type":"string","description":"%s","enum":["%s"]}}}}`, hidden, i, hidden, hidden, hidden, hidden))
			}
			return tools
		},
		"markup": func() (tools []string) {
			for i := range 80 {
				text := strings.Repeat("<&|://@#[x](y)", 60)
				tools = append(tools, fmt.Sprintf(`{"name":"%s%d","description":"%s","inputSchema":{"type":"string"}}`, text, i, text))
			}
			return tools
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view, size := inspectedTools(t, tools())
			c := cli.NewContext(cli.NewApp(), flag.NewFlagSet("", flag.ContinueOnError), nil)
			for _, format := range reportFormats {
				data, err := view.sheet(diag.FailOnError).render(c, format)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%-8s %8d bytes of %d: %.1f", format, len(data), size, float64(len(data))/float64(size))
				if bound := reportShare*size + reportTool*len(view.Surface.Tools) + reportFloor; len(data) > bound {
					t.Errorf("%s: %d bytes for a surface of %d, and no more than %d are allowed", format, len(data), size, bound)
				}
			}
		})
	}
}

// TestLongNamesAreListedShort lists tools of names that no client takes, once for each of the clients and with an alias: what stands around the findings
// takes a few kilobytes for each tool and not each name as often as there are clients.
func TestLongNamesAreListedShort(t *testing.T) {
	var tools []string
	for i := range 50 {
		tools = append(tools, fmt.Sprintf(`{"name":"%s%d","description":"Looks at it.","inputSchema":{"type":"object"}}`, strings.Repeat("x", 1000), i))
	}
	view, size := inspectedTools(t, tools)
	clients, named := view.Surface.Clients, 0
	for _, v := range clients {
		for _, name := range v.Tools {
			if named++; len([]rune(name)) > diag.MaxName {
				t.Fatalf("client %s has a tool of %d characters", v.Client, len(name))
			}
		}
		for name := range v.Aliases {
			if len([]rune(name)) > diag.MaxName {
				t.Fatalf("client %s has an alias for a tool of %d characters", v.Client, len(name))
			}
		}
	}
	data, err := canon.Encode(view.Surface)
	if err != nil {
		t.Fatal(err)
	}
	each := 2 * (diag.MaxName + 100) * len(clients) // in the tools and the aliases of each client
	if bound := 4*size + len(tools)*(each+reportTool); named < len(tools) || len(data) > bound {
		t.Errorf("%d names, %d bytes around the findings on a surface of %d, and no more than %d are allowed", named, len(data), size, bound)
	}
	t.Logf("%d bytes of %d", len(data), size)
}

func inspectedTools(t *testing.T, tools []string) (view inspection, size int) {
	t.Helper()
	s := surfaceOf(t, tools)
	sh := &shell{ctx: context.Background(), now: time.Now, getenv: func(string) (string, bool) { return "", false }}
	c := cli.NewContext(cli.NewApp(), flag.NewFlagSet("", flag.ContinueOnError), nil)
	seen := observed{snapshot: s, costs: gate.NewCounter(s)}
	document := adopt.Bridge(s)
	v := gate.Check(s, gate.Options{}, adopt.Doubts(document.Diagnostics)...)
	var err error
	if view, err = sh.newInspection(c, seen, v, document); err != nil {
		t.Fatal(err)
	}
	return view, len(strings.Join(tools, ","))
}

// largeSnapshot writes the snapshot of a surface that the gate does not judge in a few milliseconds.
func largeSnapshot(t *testing.T, folder string) string {
	t.Helper()
	var tools []string
	for i := range 1500 {
		tools = append(tools, fmt.Sprintf(`{"name":"%so:%d","description":"d","inputSchema":{"type":"string"}}`, []string{"c", "\\u0441"}[i%2], i/3))
	}
	s := surfaceOf(t, tools)
	if _, err := (surface.Store{Dir: folder}).Replace(t.Context(), "large", nil, s); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "large"+surface.FileSuffix)
}

func surfaceOf(t *testing.T, tools []string) *surface.McpSurfaceSnapshot {
	t.Helper()
	node, err := canon.Parse([]byte(`{"initialize":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}},"tools":[` + strings.Join(tools, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := surface.New(corpus.CaptureOf(node, "large"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
