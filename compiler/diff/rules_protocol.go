package diff

import (
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/lazy"
)

var protocolRules = []entry{
	{"proto-upgraded", diag.Risky, false, "A newer protocol version is negotiated",
		"Defaults, error codes and the meaning of lists differ between versions.", "Test your clients against the newer version."},
	{"proto-downgraded", diag.Breaking, true, "An older protocol version is negotiated",
		"Older versions have no hints or no output schemas; what guarded the tools is lost.", "Have the vendor support the version you pinned, or pin the older one knowingly."},
	{"proto-changed", diag.Risky, false, "Another protocol version is negotiated, and which is newer cannot be told",
		"A protocol version is a date; one of these is none.", "Find out what the server speaks before you rely on it."},
	{"proto-version-dropped", diag.Breaking, false, "The server gave up a protocol version",
		"Clients that speak only that version cannot connect.", "Check which versions your clients speak."},
	{"proto-version-added", diag.Safe, false, "The server supports another protocol version",
		"Clients that connect today still do.", "Nothing to do."},
	{"proto-era-changed", diag.Risky, false, "The server is spoken to in another way",
		"With and without a handshake a server may show different surfaces.", "Check that the capture was meant to be made this way."},
	{"transport-changed", diag.Risky, true, "The transport changed",
		"Another transport is another trust boundary: who can listen, and who can answer.", "Confirm that the move is meant."},
	{"capture-client-profile-changed", diag.Risky, false, "The two captures presented different clients",
		"Servers show a client what it can handle, so other findings may come from the captures and not from the server.",
		"Capture both sides with the same profile."},
}

var protocolDate = lazy.MustCompile(`^\d{4}-\d\d-\d\d$`)

func (j *judge) protocol(d Delta) {
	j.turn(protocolRule(d.Protocol), "server/protocol", "the negotiated protocol version", d.Protocol)
	j.turn("proto-era-changed", "server/protocol", "the protocol era", d.Era)
	j.turn("transport-changed", "server/transport", "the transport", d.Transport)
	j.turn("capture-client-profile-changed", "capture", "the client profile of the capture", d.ClientProfile)
	for _, v := range d.VersionsAdded {
		j.add("proto-version-added", fact{subject: "server/protocol", message: "the server lists protocol version " + quoted(v), after: canon.Quote(v)})
	}
	if len(d.VersionsRemoved) > 0 && !d.New.SupportsStated {
		j.add("proto-version-dropped", fact{subject: "server/protocol", class: diag.Risky, args: d.VersionsRemoved,
			message: "the server no longer says which protocol versions it supports"})
		return
	}
	for _, v := range d.VersionsRemoved {
		message := "the server no longer lists protocol version " + quoted(v)
		if v == d.Old.ProtocolVersion {
			message += ", the one that was negotiated"
		}
		j.add("proto-version-dropped", fact{subject: "server/protocol", message: message, before: canon.Quote(v)})
	}
}

func (j *judge) turn(id, subject, what string, t *Turn) {
	if t != nil {
		j.add(id, fact{subject: subject, message: what + " changed from " + quoted(t.Before) + " to " + quoted(t.After),
			before: canon.Quote(t.Before), after: canon.Quote(t.After)})
	}
}

func protocolRule(t *Turn) string {
	switch {
	case t == nil || !protocolDate.MatchString(t.Before) || !protocolDate.MatchString(t.After):
		return "proto-changed"
	case t.After > t.Before:
		return "proto-upgraded"
	}
	return "proto-downgraded"
}

var capabilityRules = []entry{
	{"cap-removed", diag.Breaking, false, "A capability is gone",
		"Clients that use it get errors.", "Stop using it, or stay with the version that has it."},
	{"cap-added", diag.Safe, false, "The server has a new capability",
		"It is new reach; experimental capabilities follow no published contract.", "Decide whether clients may use it."},
	{"cap-listchanged-removed", diag.Risky, false, "The server no longer announces changes of a list",
		"Drift happens unannounced; clients keep stale lists.", "Check the surface on a schedule instead."},
	{"cap-subscribe-removed", diag.Breaking, false, "Resources can no longer be subscribed to",
		"Subscriptions are refused.", "Poll instead, or stay with the version that has it."},
	{"cap-setting-changed", diag.Risky, false, "A setting of a capability changed",
		"No rule knows what this setting means.", "Read both values and decide whether it matters."},
	{"ext-added", diag.Safe, false, "The server supports another protocol extension",
		"It is new reach that a client can turn on.", "Decide whether clients may use it."},
	{"ext-removed", diag.Breaking, false, "A protocol extension is gone",
		"Clients that rely on it get errors.", "Stop using it, or stay with the version that has it."},
	{"ext-settings-changed", diag.Risky, false, "The settings of a protocol extension changed",
		"The extension's own definition says what they mean.", "Compare both values with the extension's definition."},
}

func (j *judge) capabilities(changes []Change) {
	for _, c := range changes {
		f := fact{subject: "server/capabilities", pointer: c.Pointer, before: c.Before, after: c.After, security: c.OriginMoved}
		path := canon.Tokens(c.Pointer)
		if len(path) >= 2 && path[0] == "extensions" {
			j.extension(path, f)
			continue
		}
		j.capability(path, f)
	}
}

func (j *judge) extension(path []string, f fact) {
	name := "extension " + quoted(path[1])
	switch {
	case len(path) == 2 && absent(f.before):
		f.message = name + " is supported now"
		j.add("ext-added", f)
	case len(path) == 2 && absent(f.after):
		f.message = name + " is no longer supported"
		j.add("ext-removed", f)
	default:
		f.message = "settings of " + name + " changed"
		j.add("ext-settings-changed", f)
	}
}

func (j *judge) capability(path []string, f fact) {
	name := "capability " + quoted(f.pointer)
	experimental := len(path) > 0 && path[0] == "experimental"
	whole := len(path) == 1 || experimental && len(path) == 2
	had, has := string(f.before) == "true", string(f.after) == "true"
	off := !had && !has && isFlag(f.before) && isFlag(f.after)
	last := ""
	if len(path) == 2 {
		last = path[1]
	}
	switch {
	case off && len(path) > 0:
		f.message, f.class = name+" is off, stated or not", diag.Safe
		j.add("cap-setting-changed", f)
	case whole && absent(f.before) || has && isFlag(f.before):
		f.message, f.security = name+" was added", f.security || experimental
		j.add("cap-added", f)
	case whole && absent(f.after) || whole && had && isFlag(f.after):
		f.message = name + " was removed"
		j.add("cap-removed", f)
	case last == "listChanged" && had:
		f.message = "the server no longer announces changes of its list of " + quoted(path[0])
		j.add("cap-listchanged-removed", f)
	case slices.Equal(path, []string{"resources", "subscribe"}) && had:
		f.message = "resources can no longer be subscribed to"
		j.add("cap-subscribe-removed", f)
	default:
		f.message = name + " changed"
		j.add("cap-setting-changed", f)
	}
}

// isFlag reports a boolean setting, absence included.
func isFlag(raw canon.Raw) bool {
	return absent(raw) || string(raw) == "true" || string(raw) == "false"
}
