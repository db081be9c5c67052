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
	maxCertificate  = 64 << 20 // bytes of one file
	maxCertificates = 64
)

// readCertificates reads the certificates that the folder holds. What is too much for one is a finding.
func readCertificates(root *os.Root) (files map[string][]byte, findings []diag.Finding, err error) {
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
		data, err := atomicfile.ReadIn(root, name, maxCertificate)
		if errors.Is(err, atomicfile.ErrTooLarge) || err == nil && len(files) >= maxCertificates {
			findings = append(findings, finding(fileUnexpected, name, fmt.Sprintf("%q is more than a certificate can be: over %d bytes, or beyond %d files",
				name, maxCertificate, maxCertificates)))
			return nil
		}
		files[name] = data
		return err
	})
	return files, findings, err
}
