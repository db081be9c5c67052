package facade

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"anvil/facade/access"
)

const shutdownTime = 2 * time.Second

// ListenAndServe serves Handler on addr, a host and a port, until ctx ends; then it closes the facade and returns nil.
// ready, when given, is called once with the address clients connect to. Only loopback addresses are served unless
// Options.Front says how callers are told.
func (f *Facade) ListenAndServe(ctx context.Context, addr string, ready func(url string)) error {
	known := f.door.Callers != nil
	if !known && !access.IsLoopback(addr) {
		return notLoopback(addr)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("serve %s: %w", f.options.Name, err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); !ok || !known && !tcp.IP.IsLoopback() {
		listener.Close()
		return notLoopback(addr)
	}
	server := &http.Server{
		Handler: f.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if ready != nil {
		ready("http://" + f.reachedAt(listener.Addr()) + Path)
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

// reachedAt is where clients connect to: an address of this machine, or the first of its names where every address is listened on.
func (f *Facade) reachedAt(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() && len(f.door.Hosts) > 0 {
		return net.JoinHostPort(f.door.Hosts[0], strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

func notLoopback(addr string) error {
	return fmt.Errorf("refusing to listen on %q: there is no authentication, so whoever reaches it could call every approved tool; use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT, or say whose tokens are accepted", addr)
}
