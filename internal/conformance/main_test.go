package conformance

import (
	"os"
	"testing"
)

// TestMain makes the test binary the client that the suite starts.
func TestMain(m *testing.M) {
	if os.Getenv(scenarioVariable) != "" {
		os.Exit(Main(os.Args[1:], os.Getenv, os.Stderr))
	}
	os.Exit(m.Run())
}
