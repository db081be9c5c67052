package probe

import (
	"fmt"

	"anvil/wire"
)

// Announcement is what the probe announces as a client: its capabilities. A server may show another surface to a client that announces less, so a
// snapshot records its name, as clientProfile. What known clients make of a surface is another matter, and package profiles'.
type Announcement struct {
	Name         string
	Capabilities []byte // raw JSON object
}

// What can be announced. Full announces everything a client of the handshake era can, so that no tool hides.
var (
	Bare = Announcement{"bare", []byte(`{}`)}
	Full = Announcement{"full", []byte(`{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},` +
		`"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}`)}
)

// ParseAnnouncement returns what is announced under the name: bare or full.
func ParseAnnouncement(name string) (Announcement, error) {
	for _, p := range []Announcement{Bare, Full} {
		if p.Name == name {
			return p, nil
		}
	}
	return Announcement{}, fmt.Errorf("%q is no announcement: use bare or full", name)
}

// answer is how the probe treats a request of the server's: it helps the server to start and lets nothing happen.
func answer(method string) ([]byte, *wire.RPCError) {
	switch method {
	case "ping":
		return []byte(`{}`), nil
	case "roots/list":
		return []byte(`{"roots":[]}`), nil
	case "elicitation/create":
		return []byte(`{"action":"decline"}`), nil
	case "sampling/createMessage":
		return nil, &wire.RPCError{Code: -1, Message: "sampling is declined: this client only reads the surface"}
	}
	return nil, &wire.RPCError{Code: -32601, Message: "method not found"}
}
