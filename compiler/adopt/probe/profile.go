package probe

import (
	"fmt"

	"anvil/wire"
)

// Profile is what the probe announces as a client. A server may show another surface to another client, so a snapshot records it.
type Profile struct {
	Name         string
	Capabilities []byte // raw JSON object
}

// The built-in profiles. Full announces everything a client of the handshake era can, so that no tool hides.
var (
	Bare = Profile{"bare", []byte(`{}`)}
	Full = Profile{"full", []byte(`{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},` +
		`"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}`)}
)

// ParseProfile returns the built-in profile called name.
func ParseProfile(name string) (Profile, error) {
	for _, p := range []Profile{Bare, Full} {
		if p.Name == name {
			return p, nil
		}
	}
	return Profile{}, fmt.Errorf("unknown client profile %q: use bare or full", name)
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
