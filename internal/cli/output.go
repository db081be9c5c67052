package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
	"anvil/internal/config"
)

// checkOutputs refuses, before anything is started, what --out and --evidence cannot mean.
func checkOutputs(c *cli.Context, t config.Target) error {
	out, evidence := c.String("out"), c.String("evidence")
	switch {
	case evidence == "":
		return nil
	case t.Path != "":
		return usagef("--evidence is about a capture, and %s is a %s; give the server itself", t.Path, t.Kind)
	case evidence == "-" && (out == "" || out == "-"), evidence != "-" && filepath.Clean(evidence) == filepath.Clean(out):
		return usagef("the report and --evidence would go to the same place: name another with --out FILE")
	}
	if folder := filepath.Dir(evidence); !isFolder(folder) {
		return usagef("--evidence %s: there is no folder %s; make it first, or name another file", evidence, folder)
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// writeResult writes to the file, or to stdout when none is named. The folder of a file is made.
func (sh *shell) writeResult(path string, data []byte) error {
	if path == "" || path == "-" {
		_, err := sh.out.Write(data)
		return err
	}
	info, err := os.Stat(path)
	if err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return sh.pourInto(path, info.Mode(), data)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, data, 0o644)
}

// pourInto writes into what cannot be replaced: a pipe, a device, a socket. A pipe waits for its reader, as long as anvil is not interrupted.
func (sh *shell) pourInto(path string, mode fs.FileMode, data []byte) error {
	done := make(chan error, 1)
	go func() { done <- pour(path, mode, data) }()
	select {
	case err := <-done:
		return err
	case <-sh.ctx.Done():
		return sh.ctx.Err()
	}
}

func pour(path string, mode fs.FileMode, data []byte) error {
	if mode&fs.ModeSocket != 0 {
		conn, err := net.Dial("unix", path)
		if err != nil {
			return fmt.Errorf("write to the socket %s: %w", path, err)
		}
		_, err = conn.Write(data)
		return errors.Join(err, conn.Close())
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// evidenceFile is what --evidence writes: how a capture went, whether it came out or not.
type evidenceFile struct {
	SchemaVersion int            `json:"schemaVersion"`
	Snapshot      string         `json:"snapshot,omitzero"` // its digest
	Failure       *failure       `json:"failure,omitzero"`  // why there is none
	Captures      int            `json:"captures,omitzero"` // that were compared; absent when it was made once
	Differing     []string       `json:"differing,omitzero"`
	Evidence      probe.Evidence `json:"evidence"`
}

type failure struct {
	Code    string `json:"code"`
	Stage   string `json:"stage"`
	Message string `json:"message"`
}

func (sh *shell) writeEvidence(path string, seen observed, failed *probe.Failure) error {
	if path == "" {
		return nil
	}
	file := evidenceFile{SchemaVersion: 1, Evidence: seen.evidence, Captures: seen.captures, Differing: probe.Differing(seen.findings)}
	if seen.snapshot != nil {
		file.Snapshot = seen.snapshot.Digest
	}
	if failed != nil {
		file.Failure = &failure{string(failed.Code), failed.Stage, failed.Error()}
	}
	data, err := canon.Encode(file)
	if err != nil {
		return err
	}
	return sh.writeResult(path, sh.secret.hide(diag.PrintableJSON(data)))
}
