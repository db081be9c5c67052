package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"anvil/compiler/pack"
)

// TestFacadeKeys: each key that is listed is read, and goes into packs where the list says so.
func TestFacadeKeys(t *testing.T) {
	values := map[string]string{
		"allowHosts": "[a.example]", "audience": "aud", "audit": "{file: a.jsonl}", "issuer": "https://login.example.com", "metadata": "false", "onDrift": "{safe: stop}",
		"rate": "7", "reports": "true", "state": "st", "timeout": "30s", "tokens": "t.yaml",
	}
	if len(values) != len(FacadeKeys) {
		t.Errorf("%d keys are listed, and %d are tried", len(FacadeKeys), len(values))
	}
	path := filepath.Join(t.TempDir(), "anvil.yaml")
	load := func(key, value string) (*File, error) {
		if err := os.WriteFile(path, []byte("facade:\n  "+key+": "+value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(path, func(string) (string, bool) { return "", false })
	}
	for i, k := range FacadeKeys {
		if i > 0 && FacadeKeys[i-1].Name >= k.Name {
			t.Errorf("%s is not in order", k.Name)
		}
		f, err := load(k.Name, values[k.Name])
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if packed := !reflect.DeepEqual(f.Serving, pack.Serving{}); packed != k.Packed {
			t.Errorf("%s goes into a pack: %v, and the list says %v", k.Name, packed, k.Packed)
		}
		if _, err := load(k.Name, "[[1]]"); err == nil || !strings.Contains(err.Error(), "facade."+k.Name) {
			t.Errorf("%s is not looked at: %v", k.Name, err)
		}
	}
}
