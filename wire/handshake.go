package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// The newest protocol version of each era.
const (
	LatestHandshake = "2025-11-25"
	LatestStateless = "2026-07-28"
)

// HandshakeVersions are the protocol versions opened with initialize, StatelessVersions those opened with
// server/discover, newest first.
var (
	HandshakeVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	StatelessVersions = []string{LatestStateless}
)

func isStateless(version string) bool { return slices.Contains(StatelessVersions, version) }

// ErrNotMCP says that the peer answered initialize with something else than an initialize result.
var ErrNotMCP = errors.New("not the answer of an MCP server")

// Hello is what a client says of itself.
type Hello struct {
	Name, Version   string
	ProtocolVersion string // asked for in initialize; empty stands for LatestHandshake
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
	return c.welcome(ctx, result)
}

// welcome takes the result of initialize and completes the handshake.
func (c *Client) welcome(ctx context.Context, result []byte) (Welcome, error) {
	span, ok := Member(result, "protocolVersion")
	if !ok {
		return Welcome{}, fmt.Errorf("initialize: no protocolVersion in the result: %w", ErrNotMCP)
	}
	w := Welcome{Raw: result}
	if w.ProtocolVersion, ok = Unquote(result[span.Start:span.End]); !ok {
		return Welcome{}, fmt.Errorf("initialize: protocolVersion is not a string: %w", ErrNotMCP)
	}
	c.setVersion(w.ProtocolVersion)
	return w, c.Notify(ctx, methodInitialized, nil)
}

// setVersion makes the version known to a link that carries it.
func (c *Client) setVersion(version string) {
	if link, ok := c.link.(interface{ SetProtocolVersion(string) }); ok {
		link.SetProtocolVersion(version)
	}
}

func (h Hello) params() []byte {
	version := h.ProtocolVersion
	if version == "" {
		version = LatestHandshake
	}
	b := appendQuoted([]byte(`{"protocolVersion":`), version)
	b = append(append(b, `,"capabilities":`...), h.capabilities()...)
	return append(h.appendInfo(append(b, `,"clientInfo":`...)), '}')
}

func (h Hello) capabilities() []byte {
	if h.Capabilities == nil {
		return []byte("{}")
	}
	return h.Capabilities
}

func (h Hello) appendInfo(dst []byte) []byte {
	dst = appendQuoted(append(dst, `{"name":`...), h.Name)
	dst = appendQuoted(append(dst, `,"version":`...), h.Version)
	return append(dst, '}')
}
