package cli

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	cli "github.com/urfave/cli/v2"
)

// A command goes by one text of its configuration, however often it asks, and though the file changes meanwhile.
func TestConfigurationIsReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anvil.yaml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("gate: {maxTools: 3}\n")
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.String("config", path, "")
	sh, c := &shell{getenv: os.LookupEnv, now: time.Now}, cli.NewContext(nil, flags, nil)
	first, err := sh.loadConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	write("gate: {maxTools: no}\n")
	o, err := sh.gateOptions(c)
	if err != nil || o.MaxTools != 3 {
		t.Errorf("maxTools %d, error %v", o.MaxTools, err)
	}
	if again, err := sh.loadConfig(c); err != nil || again != first {
		t.Errorf("another file is read: %v, error %v", again, err)
	}
}
