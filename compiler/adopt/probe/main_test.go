package probe

import (
	"os"
	"strings"
	"testing"

	"anvil/internal/trapserver"
)

// plantedSecret stands in the environment of the tests, under a name that no server is to inherit.
const plantedSecret = "planted-7d1f0c"

// TestMain lets the test binary play the server that a test starts.
func TestMain(m *testing.M) {
	if mode := os.Getenv(trapserver.Env); mode != "" {
		trapserver.Main(strings.Fields(mode))
	}
	if err := os.Setenv("PROBE_TEST_TOKEN", plantedSecret); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
