// Package conformance puts wire to the official conformance suite for clients: it holds a small client that does what a scenario of that
// suite wants, and the test that runs the suite on it.
//
// It stands beside the pipeline: nothing imports it. The suite, in its latest release and in the pre-release that knows the stateless era,
// is pinned in internal/e2e/npm and found through the variable ANVIL_NPM. The client must use wire as anvil does and mend nothing on the
// way: a check that wire fails is to fail here too, and stands in the baseline with the reason until it passes.
package conformance
