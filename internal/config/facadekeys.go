package config

import (
	"slices"
	"strings"
)

// FacadeKey is a key of the section facade.
type FacadeKey struct {
	Name    string
	Flag    string // of serve that says the same, and takes its place; "" for none
	Default string // in words
	About   string
	Packed  bool // it goes into the packs that are adopted with it; else it counts where the configuration is
}

// FacadeKeys are all of them, by name.
var FacadeKeys = []FacadeKey{
	{"allowHosts", "--allow-host", "the names of loopback", "names of this machine that the headers Host and Origin may have", false},
	{"audience", "--audience", "none", "what the JWTs of `issuer` have to be for", false},
	{"audit", "--audit", "no log; `required: true`, `payloads: false`", "`{file, required, payloads}`: where calls are put on record ([audit](audit.md)); the flag takes the place of `file`", true},
	{"issuer", "--issuer", "none", "whose JWTs name callers ([security](security.md))", false},
	{"metadata", "", "`true`", "what is known of the tools is published as resources ([metadata](metadata.md))", true},
	{"onDrift", "", "`safe: serve`, others `quarantine`", "`{safe, risky, breaking, security}`: what comes of a tool that changed since it was approved: `serve`, `quarantine` (it is withheld until it is approved again) or `stop` (every tool is)", true},
	{"rate", "--rate", "`100`", "requests a second of one caller over HTTP", false},
	{"reports", "", "`false`", "clients may report what they observed ([metadata](metadata.md)); needs `--learn`", true},
	{"state", "--state", "none: nothing is kept", "a folder or postgres://...: calls that wait for a yes, and keyed writes", false},
	{"timeout", "", "by what was learned, else ten minutes", "how long a call may take without a reply and without progress", true},
	{"tokens", "--tokens", "none", "a file of bearer tokens that name callers ([security](security.md))", false},
}

func isFacadeKey(name string) bool {
	return slices.ContainsFunc(FacadeKeys, func(k FacadeKey) bool { return k.Name == name })
}

// facadeKeyNames lists them in words.
func facadeKeyNames() string {
	names := make([]string, len(FacadeKeys))
	for i, k := range FacadeKeys {
		names[i] = k.Name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
