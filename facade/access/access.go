// Package access says who is calling: it checks the bearer tokens that the HTTP front of a facade is shown, against a file of them or as JWTs of an issuer, and bounds
// how often somebody calls.
//
// It stands before the facade, which imports it: the front takes a request's token out of its header, asks a Verifier whose it is, and gives that name to all that
// decides on calls. The package must not import the facade, decide what a caller may do, or let a token or a part of one into an error, a log or anything kept: of
// tokens it holds digests alone.
package access

import (
	"context"
	"errors"
	"net"
	"strings"

	"anvil/compiler/diag"
)

// Verifier tells whose a bearer token is. It is safe for concurrent use.
type Verifier interface {
	// Verify returns the name of the caller, by which the same one is always known. The error is a *Refusal for a token that is nobody's, and wraps ErrUnavailable
	// where that cannot be told now; neither says anything of the token that whoever showed it does not know.
	Verify(ctx context.Context, token string) (name string, err error)
}

// ErrUnavailable says that nobody can be told by a token at the moment; what is wrong is for the operator.
var ErrUnavailable = errors.New("callers cannot be told at the moment")

// Refusal is why a token is nobody's.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return "the token is not accepted: " + r.Reason }

func refused(reason string) error { return &Refusal{reason} }

const (
	maxToken = 16 << 10 // bytes of a token
	maxName  = 256      // bytes of a caller's name
)

// isName reports a text that can stand for a caller in logs and rules.
func isName(name string) bool {
	return len(name) <= maxName && diag.Legible(name) && diag.Printable(name) == name
}

// IsLoopback reports whether hostport, with or without a port, names this machine.
func IsLoopback(hostport string) bool {
	host := Host(hostport)
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Host is hostport without its port, and without the brackets of an IPv6 address.
func Host(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}
