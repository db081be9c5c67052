// Package gate decides whether a captured surface may be adopted, and names everything that stands against it.
//
// It reads a snapshot and returns a [Verdict]: findings of rules, each with tool, JSON pointer, value and the smallest fix. Every rule runs
// on every item and none stops another. It changes nothing and contacts nobody; what an adopted tool does is the bridge's question.
package gate
