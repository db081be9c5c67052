package cli

import (
	"bytes"
	"testing"
)

func TestProgressIsSilentElsewhere(t *testing.T) {
	var stderr bytes.Buffer
	p := (&shell{err: &stderr}).progress(2)
	if p.begin != nil {
		t.Error("it would show something later")
	}
	p.start("one")()
	p.end()
	if stderr.Len() > 0 {
		t.Errorf("stderr: %q", stderr.String())
	}
}
