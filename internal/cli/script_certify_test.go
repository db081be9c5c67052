package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/internal/atomicfile"
)

// cmdRefused demands that a pack is refused for a reason, by trust.yaml: refused REASON PACK
func cmdRefused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: refused REASON PACK")
	}
	err := ts.Exec("anvil", "pack", "verify", args[1], "--trust", "trust.yaml", "--format", "json")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		ts.Fatalf("not refused with 1: %v", err)
	}
	n, err := canon.Parse([]byte(ts.ReadFile("stdout")))
	ts.Check(err)
	var reasons []string
	for _, step := range n.Get("steps").Elements() {
		if step.Get("outcome").Text() == "failed" {
			reasons = append(reasons, step.Get("reason").Text())
		}
	}
	if len(reasons) != 1 || reasons[0] != args[0] {
		ts.Fatalf("refused for %q, want %q", reasons, args[0])
	}
}

// cmdRemade certifies a pack again by the command that its certification names: remade PACK
func cmdRemade(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: remade PACK")
	}
	n, err := canon.Parse([]byte(ts.ReadFile(args[0] + "/certification.json")))
	ts.Check(err)
	words := strings.Fields(n.Get("builder").Get("command").Text())
	for i, word := range words {
		if word == "PACK" {
			words[i] = args[0]
		}
	}
	ts.Check(os.Remove(ts.MkAbs(args[0] + "/certification.json")))
	ts.Check(ts.Exec(words[0], words[1:]...))
}

// cmdTrustOf makes a trust file of what keys show printed: trustof SHOWN FILE
func cmdTrustOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: trustof SHOWN FILE")
	}
	_, entry, found := strings.Cut(ts.ReadFile(args[0]), "below keys:\n")
	if !found {
		ts.Fatalf("%s holds no entry of a trust file", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte("schemaVersion: 1\nkeys:\n"+entry), 0o600))
}

// cmdBackdate builds a pack again with its approvals given at an earlier time, for what was certified long ago: backdate PACK TIME
func cmdBackdate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: backdate PACK TIME")
	}
	p, err := pack.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	in, _, err := emit.InputsOf(p)
	ts.Check(err)
	for i := range in.Approvals {
		in.Approvals[i].At = args[1]
	}
	built, err := emit.Build(in)
	ts.Check(err)
	ts.Check(atomicfile.WriteDir(context.Background(), p.Dir, built.Files, true))
}
