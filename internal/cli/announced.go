package cli

import (
	"fmt"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/adopt/probe"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var surfaceDependsOnClient = diag.Rule{ID: "surface-depends-on-client", Title: "What a server shows depends on what its client announces", Class: diag.Info, Since: "0.1",
	Doc: `Asked as a client that announces nothing and as one that announces everything, the server shows different items. A snapshot is made as
one of them, so compare only snapshots that announced the same, and expect tools to come and go with the client.`}

// maxStable bounds --stable: each capture may start a process.
const maxStable = 20

// stability reads --stable: how many captures must agree.
func stability(c *cli.Context) (int, error) {
	n := c.Int("stable")
	if c.IsSet("stable") && (n < 2 || n > maxStable) {
		return 0, usagef("--stable %d compares nothing: use a number from 2 to %d", n, maxStable)
	}
	return n, nil
}

// otherAnnouncement is the other of the two.
func otherAnnouncement(a probe.Announcement) probe.Announcement {
	if a.Name == probe.Bare.Name {
		return probe.Full
	}
	return probe.Bare
}

// compareAnnounced captures the server as a client that announces the other too, and reports every item that only one of the two is shown, or that
// they are shown differently.
func (sh *shell) compareAnnounced(o probe.Options, seen observed) ([]diag.Finding, error) {
	other := otherAnnouncement(o.Announce)
	o.Announce = other
	again, err := capture(sh.ctx, o, 1)
	if err != nil {
		return nil, err
	}
	var findings []diag.Finding
	report := func(it surface.Item, words string) {
		f := surfaceDependsOnClient.Finding(it.Subject(), fmt.Sprintf("%s %q is %s", it.Kind, it.Name, words))
		if it.Kind == surface.Tool {
			f.Tool = it.Name
		}
		f.Hint = "choose what your agent host announces, --as bare or --as full, and keep to it"
		findings = append(findings, f.Sealed(words))
	}
	for _, kind := range surface.Kinds {
		for _, it := range seen.snapshot.Items[kind] {
			switch twin, there := again.snapshot.Find(kind, it.Name); {
			case !there:
				report(it, "shown to a "+seen.snapshot.ClientProfile+" client only")
			case twin.Digest != it.Digest:
				report(it, "not the same for a full and a bare client")
			}
		}
		for _, it := range again.snapshot.Items[kind] {
			if _, there := seen.snapshot.Find(kind, it.Name); !there {
				report(it, "shown to a "+other.Name+" client only")
			}
		}
	}
	return findings, nil
}
