package advise

import (
	"slices"
	"strings"

	"anvil/learn"
)

// retryable are the codes of failures that may be over when the call is made again, in capitals with underscores: time that ran out, what cannot be reached now,
// limits on rates, connections that broke. They are those of errno, of HTTP, of gRPC, of Node and Go clients, and of AIR's taxonomy. An error of the server
// itself (500, INTERNAL) is none: the same call meets the same fault.
var retryable = words(`
	ETIMEDOUT ESOCKETTIMEDOUT ETIME TIMEOUT TIMED_OUT REQUEST_TIMEOUT GATEWAY_TIMEOUT UPSTREAM_TIMEOUT CONNECT_TIMEOUT READ_TIMEOUT DEADLINE_EXCEEDED 408 504
	UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT
	UNAVAILABLE SERVICE_UNAVAILABLE UPSTREAM_UNAVAILABLE BAD_GATEWAY ECONNREFUSED ECONNABORTED EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EAI_AGAIN DNS_FAILURE 502 503
	RATE_LIMITED RATE_LIMIT RATE_LIMIT_EXCEEDED TOO_MANY_REQUESTS THROTTLED THROTTLING 429
	ECONNRESET CONNECTION_RESET EPIPE BROKEN_PIPE UND_ERR_SOCKET`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// Retryable reports a code after which the same call may succeed.
func Retryable(code string) bool {
	c := strings.ToUpper(code)
	for _, scheme := range []string{"HTTP_", "HTTP:", "HTTP-", "HTTP/"} {
		c = strings.TrimPrefix(c, scheme)
	}
	return retryable[c] || retryable[strings.ReplaceAll(c, "-", "_")]
}

// transient counts a cell's failures whose codes are retryable, and lists those codes.
func transient(c learn.Cell) (n int64, codes []string) {
	for code, count := range c.Codes {
		if Retryable(code) {
			n += count
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return n, codes
}
