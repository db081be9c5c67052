// Package trapserver is an MCP server on stdio that misbehaves on purpose, in one way for each mode.
//
// It is for tests, which run their own binary again with [Env] set and hand over to [Main]; there is no program of its own. What a mode was told
// to serve can be asked for with [Items], so that a test can tell what a client lost from what was never there. Nothing outside tests imports
// it, and it must never misbehave towards anyone but the peer on its stdin and stdout.
package trapserver
