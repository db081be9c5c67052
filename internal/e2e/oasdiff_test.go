package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// BenchmarkOasdiff measures `anvil mcp diff` against `oasdiff breaking`, which compares OpenAPI documents, on the same schemas: two files each, read, compared
// and reported as text by a process of its own, taking turns. anvil's files are snapshots, whose digests it computes again; oasdiff's have each tool as
// an operation whose request body is the input schema, and its response the output schema.
func BenchmarkOasdiff(b *testing.B) {
	program := oasdiff(b)
	for _, share := range []struct {
		name  string
		every int
	}{{"as-drifted", 1}, {"one-in-20-as-drifted", 20}} {
		b.Run(share.name, func(b *testing.B) {
			w := newWorld(b, plainAnvil)
			old, now := driftTools(b)
			for i := range old {
				if i%share.every != 0 {
					old[i] = now[i]
				}
			}
			for name, tools := range map[string][]tool{"old": old, "new": now} {
				w.write(name+surface.FileSuffix, snapshotOf(b, tools))
				w.write(name+".json", openAPI(b, tools))
			}
			compareOasdiff(b, w, program)
			b.ReportMetric(float64(len(old)), "tools")
		})
	}
	b.Run("verdicts", func(b *testing.B) {
		w := newWorld(b, plainAnvil)
		for b.Loop() {
			countRight(b, w, program)
		}
		b.ReportMetric(0, "ns/op")
	})
}

// oasdiff is the program that `make peers` builds.
func oasdiff(b *testing.B) string {
	b.Helper()
	if os.Getenv("ANVIL_PEERS") == "" {
		b.Skip("ANVIL_PEERS is not set: `make bench` builds oasdiff and sets it")
	}
	program := filepath.Join(os.Getenv("ANVIL_PEERS"), "bin", "oasdiff")
	if _, err := os.Stat(program); err != nil {
		b.Fatal(err)
	}
	return program
}

func compareOasdiff(b *testing.B, w *world, program string) {
	run := map[string]func() time.Duration{
		"anvil": func() time.Duration {
			return timedDiff(b, w.command(b.Context(), w.env(), "mcp", "diff", w.path("old"+surface.FileSuffix), w.path("new"+surface.FileSuffix)))
		},
		"oasdiff": func() time.Duration { return timedDiff(b, w.oasdiff(program, w.path("old.json"), w.path("new.json"))) },
	}
	besidePeer(b, "oasdiff", run)
}

func (w *world) oasdiff(program, old, now string) *exec.Cmd {
	cmd := exec.Command(program, "breaking", old, now, "--fail-on", "ERR")
	cmd.Dir, cmd.Env = w.dir, w.env()
	return cmd
}

// timedDiff runs a command that ends with 1 where it finds something.
func timedDiff(b *testing.B, cmd *exec.Cmd) time.Duration {
	b.Helper()
	start := time.Now()
	finds(b, cmd)
	return time.Since(start)
}

// finds reports whether a command ends with 1, as one does that finds something; it fails the benchmark where that is no answer.
func finds(b *testing.B, cmd *exec.Cmd) bool {
	b.Helper()
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err == nil {
		return false
	}
	if !errors.As(err, &ended) || ended.ExitCode() != 1 {
		b.Fatalf("%s: %v\n%.2000s", strings.Join(cmd.Args, " "), err, out)
	}
	return true
}

// tool is a tool as both programs get it.
type tool struct {
	name          string
	input, output *canon.Node // output may be nil
}

// driftTools are the tools that two published versions of a real server both have, as each version has them, under names of their own. A schema that no
// OpenAPI document can hold is left out: one that refers to itself otherwise than by a definition, or that is written in a way of older drafts.
func driftTools(b *testing.B) (old, now []tool) {
	for _, p := range corpus.Drift(b) {
		was := toolsOf(b, p.Old)
		for _, is := range toolsOf(b, p.New) {
			i := slices.IndexFunc(was, func(t tool) bool { return t.name == is.name })
			if i < 0 || !is.fits() || !was[i].fits() {
				continue
			}
			name := strings.NewReplacer("drift/", "", ".", "-", "/", "-").Replace(p.New) + "-" + is.name
			before := was[i]
			before.name, is.name = name, name
			old, now = append(old, before), append(now, is)
		}
	}
	return old, now
}

func toolsOf(b *testing.B, name string) (tools []tool) {
	c, _ := corpus.Read(b, name)
	for _, raw := range c.Lists[surface.Tool] {
		n, err := canon.Parse(raw)
		if err != nil {
			b.Fatal(err)
		}
		tools = append(tools, tool{n.Get("name").Text(), n.Get("inputSchema"), n.Get("outputSchema")})
	}
	return tools
}

func (t tool) fits() bool { return t.input.IsObject() && fitsOpenAPI(t.input) && fitsOpenAPI(t.output) }

func fitsOpenAPI(n *canon.Node) bool {
	if n == nil {
		return true
	}
	if ref, ok := n.Get("$ref").Str(); ok && !strings.HasPrefix(ref, "#/$defs/") && !strings.HasPrefix(ref, "#/definitions/") || n.Get("items").IsArray() {
		return false
	}
	return !slices.ContainsFunc(n.Items, func(n *canon.Node) bool { return !fitsOpenAPI(n) }) &&
		!slices.ContainsFunc(n.Members, func(m canon.Member) bool { return !fitsOpenAPI(m.Value) })
}

// snapshotOf is the snapshot file of a server with the tools and nothing else.
func snapshotOf(b *testing.B, tools []tool) string {
	b.Helper()
	c := surface.Capture{Endpoint: "bench", Era: surface.EraHandshake, ProtocolVersion: "2025-11-25", Transport: "stdio", ClientProfile: "full",
		Initialize: []byte(`{"serverInfo":{"name":"bench","version":"1"}}`), Lists: map[surface.Kind][][]byte{}}
	for _, t := range tools {
		var one canon.Builder
		one.AddText("name", t.name)
		one.AddNode("inputSchema", t.input)
		one.AddNode("outputSchema", t.output)
		c.Lists[surface.Tool] = append(c.Lists[surface.Tool], one.Bytes())
	}
	s, err := surface.New(c)
	if err != nil {
		b.Fatal(err)
	}
	data, err := s.Encode()
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// openAPI is the document with an operation for each tool, and the definitions of all under names of their own.
func openAPI(b *testing.B, tools []tool) string {
	b.Helper()
	var paths, definitions canon.Builder
	for _, t := range tools {
		body := func(side string, schema *canon.Node) string {
			return `{"content":{"application/json":{"schema":` + inDocument(t.name+"."+side, schema, &definitions) + `}}`
		}
		response := `{"description":"done"}`
		if t.output != nil {
			response = body("out", t.output) + `,"description":"done"}`
		}
		paths.Add("/"+t.name, []byte(`{"post":{"operationId":`+string(canon.Quote(t.name))+`,"requestBody":`+body("in", t.input)+`,"required":true},"responses":{"200":`+response+`}}}`))
	}
	text, err := canon.Canonical(fmt.Appendf(nil, `{"openapi":"3.1.0","info":{"title":"bench","version":"1"},"paths":%s,"components":{"schemas":%s}}`, paths.Bytes(), definitions.Bytes()))
	if err != nil {
		b.Fatal(err)
	}
	return string(canon.Indent(text, ""))
}

// inDocument returns a schema as a part of a document: without the name of its dialect, its definitions among those of the document.
func inDocument(owner string, n *canon.Node, definitions *canon.Builder) string {
	local := func(ref string) string {
		return "#/components/schemas/" + owner + "." + ref[strings.LastIndexByte(ref, '/')+1:]
	}
	var write func(n *canon.Node) []byte
	write = func(n *canon.Node) []byte {
		switch {
		case n.IsObject():
			var b canon.Builder
			for _, m := range n.Members {
				ref, isText := m.Value.Str()
				switch {
				case m.Name == "$schema" && isText:
				case m.Name == "$ref" && isText:
					b.AddText("$ref", local(ref))
				case m.Name == "$defs" || m.Name == "definitions":
					for _, d := range m.Value.Members {
						definitions.Add(owner+"."+d.Name, write(d.Value))
					}
				default:
					b.AddMember(m, write(m.Value))
				}
			}
			return b.Bytes()
		case n.IsArray():
			var items [][]byte
			for _, item := range n.Items {
				items = append(items, write(item))
			}
			return canon.List(items...)
		}
		return n.Canonical()
	}
	return string(bytes.Clone(write(n)))
}
