package wire

import (
	"bytes"
	"errors"
	"testing"
)

func TestHandshake(t *testing.T) {
	for _, tt := range []struct {
		name, result, version string
		hello                 Hello
		sent                  string
		want                  error
	}{
		{"plain", `{"protocolVersion":"2025-11-25","x":1.0}`, "2025-11-25", Hello{Name: "a\"", Version: "1"},
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a\"","version":"1"}}`, nil},
		{"unknown version", `{"protocolVersion":"2099-\u0030\u0031"}`, "2099-01",
			Hello{ProtocolVersion: "2024-11-05", Capabilities: []byte(`{"roots":{}}`)},
			`{"protocolVersion":"2024-11-05","capabilities":{"roots":{}},"clientInfo":{"name":"","version":""}}`, nil},
		{"no version", `{}`, "", Hello{}, "", ErrNotMCP},
		{"version of another type", `{"protocolVersion":1}`, "", Hello{}, "", ErrNotMCP},
		{"no object", `"ok"`, "", Hello{}, "", ErrNotMCP},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDuet(t, ClientOptions{})
			type outcome struct {
				w   Welcome
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				w, err := Handshake(testContext(t), d.c, tt.hello)
				done <- outcome{w, err}
			}()
			frame, err := d.peer.Recv(testContext(t))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(frame, []byte(`"method":"initialize","params":`+tt.sent)) {
				t.Errorf("got %s, want params %s", frame, tt.sent)
			}
			d.say(`{"jsonrpc":"2.0","id":1,"result":` + tt.result + `}`)
			got := <-done
			if tt.want != nil {
				if !errors.Is(got.err, tt.want) {
					t.Errorf("got %v, want %v", got.err, tt.want)
				}
				return
			}
			if got.err != nil || got.w.ProtocolVersion != tt.version || string(got.w.Raw) != tt.result {
				t.Errorf("got %s %s, %v", got.w.ProtocolVersion, got.w.Raw, got.err)
			}
			d.expect(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		})
	}
}
