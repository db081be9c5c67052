package e2e

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/adopt/gate"
	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/atomicfile"
	"anvil/internal/corpus"
)

const (
	sampleEvery = 8  // every so many captures the pack goes over the disk as well
	raceEvery   = 24 // every so many captures run with the race detector
	planted     = `"x-planted":{"big":9007199254740993,"deep":[{"fine":0.1000000000000000055511151231257827},-0.0,1e400],"text":"\u2028é"}`
)

func corpusSnapshot(t testing.TB, name string) *surface.McpSurfaceSnapshot {
	t.Helper()
	return corpus.Snapshot(t, name)
}

// largest returns the n snapshots with the most tools that the gate lets pass.
func largest(all []*surface.McpSurfaceSnapshot, n int) []*surface.McpSurfaceSnapshot {
	passing := slices.DeleteFunc(slices.Clone(all), func(s *surface.McpSurfaceSnapshot) bool { return gate.Check(s, gate.Options{}).Refused() })
	slices.SortStableFunc(passing, func(a, b *surface.McpSurfaceSnapshot) int { return len(b.Tools()) - len(a.Tools()) })
	return passing[:n]
}

// TestCorpus takes every captured surface through snapshot, gate, bridge and pack, loses nothing on the way, and compares the figures with
// testdata/corpus.txt. The race detector makes that many times slower and there is little it could find, so with it a sample runs here and
// the whole in a program without it.
func TestCorpus(t *testing.T) {
	names, whole := corpus.Names(t), !raceDetector || os.Getenv(wholeVariable) != ""
	if !whole {
		t.Parallel()
		corpusInPlainProgram(t)
	}
	figures := make([]string, len(names))
	t.Run("captures", func(t *testing.T) {
		for i, name := range names {
			if !whole && i%raceEvery != 0 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c, _ := corpus.Read(t, name)
				b := buildTwice(t, c)
				figures[i] = figuresOf(name, b)
				checkPack(t, b, i%sampleEvery == 0)
				checkNothingLost(t, c, b.built.Files[pack.SnapshotFile])
				plant(t, c)
				checkNothingLost(t, c, buildOnce(t, c).built.Files[pack.SnapshotFile])
			})
		}
	})
	if !t.Failed() && !slices.Contains(figures, "") { // all were run
		checkFigures(t, strings.Join(figures, ""))
	}
}

// wholeVariable makes TestCorpus run whole whatever it is built with.
const wholeVariable = "ANVIL_E2E_WHOLE"

func corpusInPlainProgram(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	args := []string{"test", "-count=1", "-run", "^TestCorpus$", "anvil/internal/e2e", "-args"}
	if *update {
		args = append(args, "-update")
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), wholeVariable+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func checkFigures(t *testing.T, got string) {
	t.Helper()
	path := filepath.Join("testdata", "corpus.txt")
	if *update {
		if err := atomicfile.Write(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("figures (-want +got); read the difference, then rewrite with -update\n%s", diff)
	}
}

// build is one capture taken through the build path.
type build struct {
	snapshot *surface.McpSurfaceSnapshot
	verdict  gate.Verdict
	inputs   emit.Inputs
	built    emit.Built
}

// buildTwice makes the pack of a capture from its bytes on, twice over, with everything approved that can be.
func buildTwice(t *testing.T, c surface.Capture) build {
	t.Helper()
	first, second := buildOnce(t, c), buildOnce(t, c)
	sameFiles(t, first.built.Files, second.built.Files)
	return first
}

func sameFiles(t *testing.T, want, got map[string][]byte) {
	t.Helper()
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
	for p, data := range want {
		if !bytes.Equal(data, got[p]) {
			t.Errorf("%s differs", p)
		}
	}
}

func buildOnce(t *testing.T, c surface.Capture) build {
	t.Helper()
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	b := build{snapshot: s, verdict: gate.Check(s, gate.Options{})}
	b.inputs = emit.Inputs{Snapshot: s, Mode: pack.Facade, Upstream: &pack.Upstream{Transport: "stdio", Command: "server"}}
	for _, o := range adopt.Bridge(s).Operations {
		if o.State != air.StateBlocked {
			b.inputs.Approvals = append(b.inputs.Approvals, air.Approval{
				Operation: o.ID, By: "ada", At: "2026-01-02T03:04:05Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest,
			})
		}
	}
	if b.built, err = emit.Build(b.inputs); err != nil {
		t.Fatal(err)
	}
	if got := len(b.built.Document.Approved().Operations); got != len(b.inputs.Approvals) {
		t.Errorf("%d operations are approved, want %d", got, len(b.inputs.Approvals))
	}
	return b
}

// checkPack verifies the pack and builds it again from what is in it; onDisk takes it through a folder.
func checkPack(t *testing.T, b build, onDisk bool) {
	t.Helper()
	p := &pack.Pack{Dir: "memory", Manifest: b.built.Manifest, Files: maps.Clone(b.built.Files)}
	delete(p.Files, pack.ManifestFile)
	if onDisk {
		dir := filepath.Join(t.TempDir(), "pack")
		if err := atomicfile.WriteDir(context.Background(), dir, b.built.Files, false); err != nil {
			t.Fatal(err)
		}
		read, findings, err := pack.Read(dir)
		if err != nil || len(findings) > 0 {
			t.Fatalf("read the pack: %v, %v", err, findings)
		}
		sameFiles(t, p.Files, read.Files)
		p = read
	}
	findings, err := emit.Recheck(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Errorf("recheck: %s", f.Message)
	}
}

// plant adds unknown members with numbers no float64 holds to every item that is an object.
func plant(t *testing.T, c surface.Capture) {
	t.Helper()
	for _, kind := range surface.Kinds {
		for i, raw := range c.Lists[kind] {
			text := strings.TrimRight(string(raw), " \t\r\n")
			if body, ok := strings.CutSuffix(text, "}"); ok && mustParse(t, text).IsObject() {
				comma := ","
				if strings.TrimSpace(body) == "{" {
					comma = ""
				}
				c.Lists[kind][i] = []byte(body + comma + planted + "}")
			}
		}
	}
}

// figuresOf is the line of a capture in the golden table: counts alone, and no word of the server's.
func figuresOf(name string, b build) string {
	rules, effects := map[string]int{}, map[string]int{}
	for _, f := range b.verdict.Findings {
		rules[f.Rule]++
	}
	for _, o := range b.built.Document.Operations {
		effects[fmt.Sprintf("%s/%s", o.Effect.Kind, o.Effect.Risk)]++
	}
	line := name + ":"
	for _, kind := range surface.Kinds {
		line += fmt.Sprintf(" %s=%d", kind.List(), len(b.snapshot.Items[kind]))
	}
	return line + "; gate:" + counted(rules) + "; effects:" + counted(effects) + "\n"
}

func counted(counts map[string]int) string {
	if len(counts) == 0 {
		return " none"
	}
	text := ""
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		text += fmt.Sprintf(" %s=%d", key, counts[key])
	}
	return text
}
