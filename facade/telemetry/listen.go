package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"anvil/compiler/diag"
)

// ErrAddress marks an address that cannot be listened on because it is none.
var ErrAddress = errors.New("is no address: write HOST:PORT or :PORT, such as 127.0.0.1:9464")

// Address returns the address to listen on. One without a host is of this machine alone.
func Address(given string) (string, error) {
	host, port, err := net.SplitHostPort(given)
	if err != nil || port == "" {
		return "", fmt.Errorf("%q %w", given, ErrAddress)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Handler serves /metrics, /healthz (the process runs) and /readyz (what Watch says). Nothing on it changes anything, and no call passes it.
func (t *Telemetry) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		if err := t.WritePrometheus(r.Context(), w); err != nil {
			http.Error(w, "the metrics could not be collected", http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { state(w, nil) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { state(w, t.Ready()) })
	return mux
}

func state(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, diag.Printable(err.Error()))
		return
	}
	fmt.Fprintln(w, "ok")
}

// Listen serves Handler on addr until end is called, which waits for it. bound is the address in use.
func (t *Telemetry) Listen(ctx context.Context, addr string) (bound string, end func(), err error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("listen for metrics: %w", err)
	}
	handler := t.Handler()
	if at, ok := listener.Addr().(*net.TCPAddr); ok && at.IP.IsLoopback() {
		handler = fromHere(handler)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 15 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends by Close alone
	}()
	return listener.Addr().String(), func() {
		_ = server.Close()
		<-done
	}, nil
}

// fromHere refuses requests that name another machine: a page whose name was made to resolve to this one sends its own.
func fromHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if ip := net.ParseIP(strings.Trim(host, "[]")); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "the Host header names another machine; use localhost or 127.0.0.1", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
