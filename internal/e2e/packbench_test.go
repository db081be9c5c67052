package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/atomicfile"
)

// BenchmarkVerify50MB holds the verification of a pack of 50 MB against sha256sum over its files, process against process: by digests alone, which is at most
// twice as slow, and with the second step, which builds the pack again.
func BenchmarkVerify50MB(b *testing.B) {
	sum, err := exec.LookPath("sha256sum")
	if err != nil {
		b.Skip("there is no sha256sum to compare with")
	}
	w := newWorld(b, plainAnvil)
	size := writeLargePack(b, w.path("pack"))
	var files []string
	for name := range w.files("pack") {
		files = append(files, filepath.Join("pack", filepath.FromSlash(name)))
	}
	sealed := func() time.Duration {
		return timed(b, w.command(b.Context(), w.env(), "pack", "verify", "pack", "--no-rebuild"))
	}
	rebuilt := func() time.Duration { return timed(b, w.command(b.Context(), w.env(), "pack", "verify", "pack")) }
	floor := func() time.Duration {
		cmd := exec.Command(sum, files...)
		cmd.Dir = w.dir
		return timed(b, cmd)
	}
	sealed()
	floor()
	var ours, theirs, ratios []float64
	pair := func() {
		x, y := sealed(), floor()
		ours, theirs, ratios = append(ours, x.Seconds()), append(theirs, y.Seconds()), append(ratios, x.Seconds()/y.Seconds())
	}
	for b.Loop() {
		pair()
	}
	for len(ratios) < fewestPairs {
		pair()
	}
	second := rebuilt()
	b.ReportMetric(0, "ns/op") // of a pair: it says nothing
	b.ReportMetric(float64(size)/1e6, "MB")
	b.ReportMetric(median(ours)*1000, "verify-ms")
	b.ReportMetric(median(theirs)*1000, "sha256sum-ms")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(slices.Min(ours)/slices.Min(theirs), "best-ratio")
	b.ReportMetric(second.Seconds()*1000, "with-rebuild-ms")
}

// writeLargePack writes a pack of at least 50 MB, of the tools of the example server many times over, and returns its size in bytes.
func writeLargePack(b *testing.B, dir string) (size int) {
	b.Helper()
	s, err := surface.ReadFile(filepath.Join("..", "..", "testdata", "snapshots", "refunds.snapshot.json"))
	if err != nil {
		b.Fatal(err)
	}
	c := surface.Capture{
		Era: s.Era, ProtocolVersion: s.ProtocolVersion, Transport: s.Transport, ClientProfile: s.ClientProfile, Lists: map[surface.Kind][][]byte{},
		Initialize: []byte(`{"serverInfo":` + string(s.Server.Raw) + `,"capabilities":` + string(s.Capabilities.Raw) + `}`),
	}
	for i := range 450 {
		for _, it := range s.Tools() {
			c.Lists[surface.Tool] = append(c.Lists[surface.Tool], bytes.Replace(it.JSON, []byte(`"name":"`+it.Name), fmt.Appendf(nil, `"name":"%s_%d`, it.Name, i), 1))
		}
	}
	large, err := surface.New(c)
	if err != nil {
		b.Fatal(err)
	}
	built, err := emit.Build(emit.Inputs{Snapshot: large, Mode: pack.Adopt})
	if err != nil {
		b.Fatal(err)
	}
	for _, data := range built.Files {
		size += len(data)
	}
	if size < 50e6 {
		b.Fatalf("the pack has %d bytes", size)
	}
	if err := atomicfile.WriteDir(b.Context(), dir, built.Files, false); err != nil {
		b.Fatal(err)
	}
	return size
}
