package diff

import (
	"cmp"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/lazy"
)

var serverRules = []entry{
	{"srv-name-changed", diag.Risky, true, "The server has another name",
		"Names are not unique, but a server that is suddenly called something else may be another server.",
		"Confirm with the vendor that it is the same product, then take a new snapshot."},
	{"srv-version-changed-surface-same", diag.Safe, false, "A new version shows the same surface",
		"The version moved and nothing that a model or caller sees did.", "Nothing to do; take a new snapshot to record the version."},
	{"srv-version-same-surface-changed", diag.Risky, true, "The surface moved under the same version",
		"A silent change under an unchanged version is how an approved server turns into another one.",
		"Ask the vendor why the version stayed, and review every finding of this report before you accept it."},
	{"srv-version-decreased", diag.Risky, true, "The server's version went down",
		"A rollback brings back what later versions had fixed.", "Confirm that the rollback is meant; otherwise pin the newer version."},
	{"srv-identity-missing", diag.Risky, true, "The server stopped saying who it is",
		"Without name and version a change of server cannot be told from a change of surface.",
		"Check what answers at this address before you accept the snapshot."},
	{"srv-instructions-added", diag.Risky, false, "The server gives instructions now",
		"Clients put them into the system prompt.", "Read the instructions as if they were your own prompt, then accept or refuse them."},
	{"srv-instructions-changed", diag.Risky, false, "The server's instructions changed",
		"Clients put them into the system prompt.", "Read the new text as if it were your own prompt, then accept or refuse it."},
	{"srv-instructions-removed", diag.Risky, false, "The server's instructions are gone",
		"A model loses the guidance it had.", "Check that the tools are still used well without them."},
	{"srv-title-website-icons-changed", diag.Safe, false, "Title, website or icons of the server changed",
		"People see them when they approve; a new web origin can mislead.", "Look at the new title or address once."},
	{"srv-member-changed", diag.Risky, false, "Something else in the server's identity changed",
		"No rule knows what this member means.", "Read both values and decide whether it matters."},
	{"srv-extra-changed", diag.Risky, false, "A member of the handshake that the protocol does not know changed",
		"No rule knows what this member means.", "Read both values and decide whether it matters."},
}

// selfParts name the parts of what a server says of itself.
var selfParts = map[string]struct{ subject, name string }{
	"serverInfo": {"server", "the server's identity"}, "instructions": {"server/instructions", "the server's instructions"},
	"capabilities": {"server/capabilities", "the server's capabilities"}, "handshake": {"server/handshake", "the server's handshake"},
	"protocol": {"server/protocol", "the server's list of protocol versions"},
}

func (j *judge) server(d Delta) {
	nameless := d.Old.ServerName != "" && d.New.ServerName == ""
	if nameless {
		j.add("srv-identity-missing", fact{subject: "server", message: "the server no longer says its name", before: canon.Quote(d.Old.ServerName),
			args: []string{d.Old.ServerVersion, d.New.ServerVersion}})
	}
	for _, c := range d.Server {
		if !nameless || !absent(c.After) && c.Pointer != "/name" {
			j.serverMember(d, c)
		}
	}
	for _, w := range d.Words {
		part := selfParts[w.Part]
		j.said("text-cue-introduced", "text-hidden-introduced", fact{subject: part.subject, message: part.name}, &w.TextDelta)
	}
	for _, c := range d.Instructions {
		f := fact{subject: "server/instructions", before: c.Before, after: c.After}
		switch {
		case j.told[spot{"server/instructions", c.Pointer}]:
		case absent(c.Before):
			f.message = "the server gives instructions to the model"
			j.add("srv-instructions-added", f)
		case absent(c.After):
			f.message = "the server gives no instructions to the model any more"
			j.add("srv-instructions-removed", f)
		default:
			f.message = "the server's instructions to the model changed"
			if how := slight(c); how != "" {
				f.class, f.message = diag.Safe, "the text of the server's instructions to the model "+how
			}
			j.add("srv-instructions-changed", f)
		}
	}
	for _, c := range d.Extra {
		j.add("srv-extra-changed", fact{subject: "server/handshake", pointer: c.Pointer, before: c.Before, after: c.After, security: c.OriginMoved,
			message: "handshake member " + quoted(c.Pointer) + " changed"})
	}
}

func (j *judge) serverMember(d Delta, c Change) {
	f := fact{subject: "server", pointer: c.Pointer, before: c.Before, after: c.After, security: c.OriginMoved}
	turned := " changed from " + shown(c.Before) + " to " + shown(c.After)
	switch head(c.Pointer) {
	case "name":
		f.message = "the server's name" + turned
		j.add("srv-name-changed", f)
	case "version":
		j.version(d, f, turned)
	case "title", "websiteUrl", "icons":
		f.message = "the server's " + head(c.Pointer) + turned
		if f.security {
			f.message = "the server's " + head(c.Pointer) + turned + ", which leads to where nothing led before"
		}
		j.add("srv-title-website-icons-changed", f)
	default:
		f.message = "the server's identity changed at " + quoted(c.Pointer)
		j.add("srv-member-changed", f)
	}
}

func (j *judge) version(d Delta, f fact, turned string) {
	f.message = "the server's version" + turned
	switch {
	case absent(f.after):
		f.message = "the server no longer says its version"
		j.add("srv-identity-missing", f)
	case decreased(d.Old.ServerVersion, d.New.ServerVersion):
		f.message = "the server's version went down from " + shown(f.before) + " to " + shown(f.after)
		j.add("srv-version-decreased", f)
	case d.Old.Surface == d.New.Surface:
		f.message += ", and its surface did not"
		j.add("srv-version-changed-surface-same", f)
	}
}

// crossCheck holds version and surface against each other. A server without a version contradicts nothing.
func (j *judge) crossCheck(d Delta) {
	if d.Old.Surface == d.New.Surface || d.Old.ServerVersion != d.New.ServerVersion || d.New.ServerVersion == "" {
		return
	}
	message := "the surface changed while the server's version stayed " + quoted(d.New.ServerVersion)
	j.add("srv-version-same-surface-changed", fact{subject: "server", message: message, before: canon.Quote(d.Old.Surface), after: canon.Quote(d.New.Surface)})
}

var versionText = lazy.MustCompile(`^v?(\d+(?:\.\d+)*)(-[0-9A-Za-z.-]+)?(?:\+.*)?$`)

// decreased reports two versions of which the second is plainly lower: number by number, a pre-release below its release.
func decreased(old, new string) bool {
	a, b := versionText.FindStringSubmatch(old), versionText.FindStringSubmatch(new)
	if a == nil || b == nil {
		return false
	}
	x, y := strings.Split(a[1], "."), strings.Split(b[1], ".")
	for i := range max(len(x), len(y)) {
		if c := compareDigits(part(x, i), part(y, i)); c != 0 {
			return c > 0
		}
	}
	return a[2] == "" && b[2] != ""
}

func part(parts []string, i int) string {
	if i < len(parts) {
		return strings.TrimLeft(parts[i], "0")
	}
	return ""
}

func compareDigits(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
