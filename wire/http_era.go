package wire

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// setEraHeaders mirrors a message's method, and the name of what it concerns, in the headers that the stateless era
// wants of a POST.
func setEraHeaders(h http.Header, e Envelope) {
	if e.Method.absent() {
		return
	}
	method := e.MethodName()
	if isHeaderToken(method) {
		h.Set(headerMethod, method)
	}
	member := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}[method]
	if member == "" {
		return
	}
	params := e.Bytes(e.Params)
	if span, ok := Member(params, member); ok {
		if name, ok := Unquote(params[span.Start:span.End]); ok && name != "" && len(name) <= maxHeaderURI {
			h.Set(headerName, headerValue(name))
		}
	}
}

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// headerValue spells s so that a header can carry it: as it is when that is safe and not mistakable, in base64 within the
// markers of SEP-2243 otherwise.
func headerValue(s string) string {
	unsafe := strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e })
	if unsafe || strings.Trim(s, " \t") != s || strings.HasPrefix(s, encodedPrefix) && strings.HasSuffix(s, encodedSuffix) {
		return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(s)) + encodedSuffix
	}
	return s
}
