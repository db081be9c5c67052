package facade

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const shutdownTime = 2 * time.Second

// ListenAndServe serves Handler on addr, a host and a port, until ctx ends; then it closes the facade and returns nil.
// ready, when given, is called once with the address clients connect to. Only loopback addresses are served.
func (f *Facade) ListenAndServe(ctx context.Context, addr string, ready func(url string)) error {
	if !isLoopback(addr) {
		return notLoopback(addr)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("serve %s: %w", f.options.Name, err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		listener.Close()
		return notLoopback(addr)
	}
	server := &http.Server{
		Handler: f.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if ready != nil {
		ready("http://" + listener.Addr().String() + Path)
	}
	select {
	case err = <-served:
		f.Close()
		return fmt.Errorf("serve %s: %w", f.options.Name, err)
	case <-ctx.Done():
	}
	f.Close()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		server.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", f.options.Name, err)
	}
	return nil
}

func notLoopback(addr string) error {
	return fmt.Errorf("refusing to listen on %q: the facade has no authentication, so whoever reaches it could call every approved tool; use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT", addr)
}
