package wire

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestHTTPOnAPortOfTLS knows the words of several servers, and takes a plain 400 for what it is.
func TestHTTPOnAPortOfTLS(t *testing.T) {
	for body, tls := range map[string]bool{
		"Client sent an HTTP request to an HTTPS server.\n":                                                                        true,
		"<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head>":                                      true,
		"<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />\n Instead use the HTTPS scheme, please.<br />": true,
		"no such session": false,
	} {
		s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, body)
		}, nil)
		_, err := NewClient(dial(t, HTTPOptions{URL: s.URL}), ClientOptions{}).Call(testContext(t), "x", nil)
		if err == nil || strings.Contains(err.Error(), "write https:// in the URL") != tls {
			t.Errorf("%s: got %v", body, err)
		}
	}
}
