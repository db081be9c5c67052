package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
)

// Bounds of what stands beside the seal of a pack.
const (
	maxOutside      = 64 << 20 // bytes of one file
	maxOutsideFiles = 64
)

// readOutside reads the certificates that the folder holds. What is too much for one is a finding.
func readOutside(root *os.Root) (files map[string][]byte, findings []diag.Finding, err error) {
	files = map[string][]byte{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && name != "attestations":
			return fs.SkipDir
		case !d.Type().IsRegular() || !isOutside(name):
			return nil
		}
		data, err := atomicfile.ReadIn(root, name, maxOutside)
		if errors.Is(err, atomicfile.ErrTooLarge) || err == nil && len(files) >= maxOutsideFiles {
			findings = append(findings, finding(fileUnexpected, name, fmt.Sprintf("%q is more than a certificate can be: over %d bytes, or beyond %d files",
				name, maxOutside, maxOutsideFiles)))
			return nil
		}
		files[name] = data
		return err
	})
	return files, findings, err
}
