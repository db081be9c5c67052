package wire

import (
	"context"
	"errors"
	"fmt"
)

// LatestHandshake is the newest protocol version opened with initialize.
const LatestHandshake = "2025-11-25"

// HandshakeVersions are the protocol versions opened with initialize, newest first.
var HandshakeVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// ErrNotMCP says that the peer answered initialize with something else than an initialize result.
var ErrNotMCP = errors.New("not the answer of an MCP server")

// Hello is what a client says of itself.
type Hello struct {
	Name, Version   string
	ProtocolVersion string // empty stands for LatestHandshake
	Capabilities    []byte // raw JSON object; nil stands for {}
}

// Welcome is what the server answered.
type Welcome struct {
	Raw             []byte // the whole initialize result as it arrived
	ProtocolVersion string // decoded; it may be one that HandshakeVersions does not hold
}

// Handshake opens a session: initialize, the negotiated version made known to a link that carries it, and
// notifications/initialized. The result must be an object with a protocolVersion string; everything else in it, an
// unknown version included, is the caller's to judge.
func Handshake(ctx context.Context, c *Client, h Hello) (Welcome, error) {
	result, err := c.Call(ctx, methodInitialize, h.params())
	if err != nil {
		return Welcome{}, err
	}
	span, ok := Member(result, "protocolVersion")
	if !ok {
		return Welcome{}, fmt.Errorf("initialize: no protocolVersion in the result: %w", ErrNotMCP)
	}
	w := Welcome{Raw: result}
	if w.ProtocolVersion, ok = Unquote(result[span.Start:span.End]); !ok {
		return Welcome{}, fmt.Errorf("initialize: protocolVersion is not a string: %w", ErrNotMCP)
	}
	if link, ok := c.link.(interface{ SetProtocolVersion(string) }); ok {
		link.SetProtocolVersion(w.ProtocolVersion)
	}
	return w, c.Notify(ctx, methodInitialized, nil)
}

func (h Hello) params() []byte {
	version, capabilities := h.ProtocolVersion, h.Capabilities
	if version == "" {
		version = LatestHandshake
	}
	if capabilities == nil {
		capabilities = []byte("{}")
	}
	b := appendQuoted([]byte(`{"protocolVersion":`), version)
	b = append(append(b, `,"capabilities":`...), capabilities...)
	b = appendQuoted(append(b, `,"clientInfo":{"name":`...), h.Name)
	b = appendQuoted(append(b, `,"version":`...), h.Version)
	return append(b, "}}"...)
}
