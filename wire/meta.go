package wire

// Keys of the members that every request of the stateless era carries in params._meta.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// meta is what a client says of itself in each request of the stateless era, as raw JSON values.
type meta struct {
	version, client, capabilities []byte
}

func newMeta(h Hello, version string) meta {
	return meta{appendQuoted(nil, version), h.appendInfo(nil), h.capabilities()}
}

// params returns params with the members merged into their _meta, every other byte as it was. Absent and null params
// become an object; what is no object, and a _meta that is none, is the server's to judge. What the caller says of
// client and capabilities stands: a gateway speaks for another client. The version is the session's in any case, or it
// would contradict the header.
func (m meta) params(params []byte) []byte {
	if params == nil || string(params) == "null" {
		return append(m.appendTo([]byte(`{"_meta":`), []byte("{}")), '}')
	}
	span, ok := Member(params, "_meta")
	if ok {
		dst := append(make([]byte, 0, len(params)+m.size()), params[:span.Start]...)
		dst = m.appendTo(dst, params[span.Start:span.End])
		return append(dst, params[span.End:]...)
	}
	open, empty, ok := objectStart(params)
	if !ok {
		return params
	}
	dst := append(make([]byte, 0, len(params)+m.size()), params[:open]...)
	dst = m.appendTo(append(dst, `"_meta":`...), []byte("{}"))
	if !empty {
		dst = append(dst, ',')
	}
	return append(dst, params[open:]...)
}

func (m meta) size() int {
	return len(metaVersion) + len(metaClient) + len(metaCapabilities) + len(m.version) + len(m.client) + len(m.capabilities) + 32
}

// appendTo appends own, the raw _meta of a request, with the members merged in.
func (m meta) appendTo(dst, own []byte) []byte {
	if string(own) == "null" {
		own = []byte("{}")
	}
	open, empty, ok := objectStart(own)
	if !ok {
		return append(dst, own...)
	}
	dst = append(dst, own[:open]...)
	version, versioned := Member(own, metaVersion)
	added := false
	for _, member := range []struct {
		name  string
		value []byte
	}{{metaVersion, m.version}, {metaClient, m.client}, {metaCapabilities, m.capabilities}} {
		if _, given := Member(own, member.name); given {
			continue
		}
		if added {
			dst = append(dst, ',')
		}
		dst = append(append(appendQuoted(dst, member.name), ':'), member.value...)
		added = true
	}
	if added && !empty {
		dst = append(dst, ',')
	}
	if versioned {
		dst = append(append(dst, own[open:version.Start]...), m.version...)
		open = version.End
	}
	return append(dst, own[open:]...)
}

// objectStart returns the offset after the opening brace of the raw JSON object, and whether the object is empty. It
// reports false when object is not one JSON object.
func objectStart(object []byte) (open int, empty, ok bool) {
	if !isObject(object) {
		return 0, false, false
	}
	s := scanner{b: object}
	s.space()
	open = s.i + 1
	s.i++
	s.space()
	return open, s.peek() == '}', true
}

// isObject reports whether b is one JSON object.
func isObject(b []byte) bool {
	s := scanner{b: b}
	if s.space(); s.peek() != '{' {
		return false
	}
	return s.value() == nil && s.end() == nil
}
