// Package diag is how every stage of anvil reports what it found: a finding, the rule behind it, a catalogue of rules, and the report in
// the formats people and machines read.
//
// A finding is a result, not an error: the work was done and this was found. Stages return findings beside their value and never print;
// the command line renders one [Report] and takes its exit code from it alone. The package knows no rule of any stage and imports
// only canon.
package diag
