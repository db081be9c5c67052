// Package e2e holds the tests that drive the built anvil binary as its users do, on real MCP servers, and the corpus of captured surfaces
// through the whole build path.
//
// It stands beside the pipeline: nothing imports it, and it holds tests and benchmarks alone. The real servers are pinned in npm/ and found
// through the variable ANVIL_NPM, a folder with node_modules, which `make test` sets. The package must not reach into what the command line
// hides: what a user cannot see, these tests do not look at.
package e2e
