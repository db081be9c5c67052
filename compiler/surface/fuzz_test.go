package surface

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzDecode reads any bytes as a snapshot file: an error of a kind that callers know, or a snapshot whose own file is stable.
func FuzzDecode(f *testing.F) {
	s, err := New(sample())
	if err != nil {
		f.Fatal(err)
	}
	good, err := s.WithHistory(s).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(bytes.Replace(good, []byte(`"tombstones": []`), []byte(`"tombstones": [{"kind":"tool","name":"\ud800","lastDigest":"x"}]`), 1))
	f.Add([]byte(`{"schemaVersion":1,"digests":{},"canon":"anvil-c14n/1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDigest) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		first, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(first)
		if err != nil {
			t.Fatalf("own file refused: %v", err)
		}
		if second, err := back.Encode(); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("file is not stable: %v", err)
		}
	})
}
