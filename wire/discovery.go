package wire

import (
	"slices"
	"strings"
)

const (
	methodDiscover = "server/discover"

	codeUnsupportedVersion = -32022
)

// VersionError says that a server speaks no protocol version that could be spoken with it.
type VersionError struct {
	Supported []string // what the server says it speaks
}

func (e *VersionError) Error() string {
	var shown []string
	for _, v := range e.Supported[:min(len(e.Supported), 10)] {
		shown = append(shown, printable(v, 40))
	}
	msg := "the server speaks " + strings.Join(shown, ", ") + " alone"
	if allNewer(e.Supported) {
		return msg + ", newer than what is known here, " + LatestStateless + ": update this program"
	}
	return msg + ", no version of the stateless era: let the era be found out"
}

// discovered is what is to be made of an answer to server/discover.
type discovered struct {
	version   string   // the stateless version to speak, empty when there is none
	supported []string // what the server says it speaks, nil when it does not say
	outcome   string
	none      bool // no version is known here, of whatever era
}

// discover reads the outcome of server/discover. Nothing but a result that lists a known version of the stateless era
// opens a session; a list without a version older than that era, and without a known one, leaves nothing to speak at all.
func discover(o outcome) discovered {
	if o.err != nil {
		return discovered{outcome: OutcomeFailed}
	}
	if _, err := resultOf(methodDiscover, o); err != nil {
		d := discovered{outcome: OutcomeRefused}
		if raw := o.env.Bytes(o.env.Error); newRPCError(raw).Code == codeUnsupportedVersion {
			d.supported = stringList(raw, "data", "supported")
			d.none = allNewer(d.supported)
		}
		return d
	}
	d := discovered{outcome: OutcomeNoVersion, supported: stringList(o.env.Bytes(o.env.Result), "supportedVersions")}
	for _, v := range StatelessVersions {
		if slices.Contains(d.supported, v) {
			d.version, d.outcome = v, OutcomeOpened
			return d
		}
	}
	d.none = allNewer(d.supported)
	return d
}

// allNewer reports whether there are versions, and all of them of the future. Versions are dates, and sort as such.
func allNewer(versions []string) bool {
	return len(versions) > 0 && !slices.ContainsFunc(versions, func(v string) bool { return v <= LatestStateless })
}

// stringList returns the strings of the array at path in the raw object, leaving out what is none; nil without array.
func stringList(object []byte, path ...string) []string {
	for _, name := range path {
		span, ok := Member(object, name)
		if !ok {
			return nil
		}
		object = object[span.Start:span.End]
	}
	spans, ok := Elements(object)
	if !ok {
		return nil
	}
	list := make([]string, 0, len(spans))
	for _, s := range spans {
		if text, ok := Unquote(object[s.Start:s.End]); ok {
			list = append(list, text)
		}
	}
	return list
}

// handshakeVersion returns the version to ask for in initialize of a server that speaks those.
func handshakeVersion(supported []string) string {
	for _, v := range HandshakeVersions {
		if slices.Contains(supported, v) {
			return v
		}
	}
	return LatestHandshake
}

// mayAsk reports whether a server may ask for something while it answers a call.
func mayAsk(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// repeatable reports whether a call may be sent a second time when it is not known whether the first took effect.
func repeatable(method string) bool {
	switch method {
	case methodPing, "resources/read", "prompts/get", "completion/complete":
		return true
	}
	return strings.HasSuffix(method, "/list")
}
