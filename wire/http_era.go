package wire

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
)

// paramHeaders is the key of what WithParamHeaders puts into a context.
type paramHeaders struct{}

// WithParamHeaders returns a context under which a call of the stateless era over HTTP carries values as Mcp-Param-NAME
// headers, spelled as headers need it (SEP-2243). Which arguments a tool wants there, and by which names, its input
// schema tells, which is the caller's to read. A name that is no token, and a value longer than 8 KiB, is left out. The
// caller must not change values before the call has returned.
func WithParamHeaders(ctx context.Context, values map[string]string) context.Context {
	return context.WithValue(ctx, paramHeaders{}, values)
}

// setParamHeaders sets what WithParamHeaders asked for.
func setParamHeaders(ctx context.Context, h http.Header) {
	values, _ := ctx.Value(paramHeaders{}).(map[string]string)
	for name, value := range values {
		if isToken(name) && len(value) <= maxHeaderURI {
			h.Set(headerParam+name, headerValue(value))
		}
	}
}

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

// isToken reports whether s is a token of RFC 9110, as the name of a header is.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && !(r >= '0' && r <= '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
