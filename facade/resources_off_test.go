package facade

import (
	"context"
	"strings"
	"testing"

	"anvil/compiler/pack"
	"anvil/wire"
)

// ordinary is a session of a host that knows nothing of the extension.
var ordinary = []string{
	helloFrame,
	`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1.0}}}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"delete"}}`,
	`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"report_observation","arguments":{}}}`,
	`{"jsonrpc":"2.0","id":5,"method":"prompts/list"}`,
	`{"jsonrpc":"2.0","id":6,"method":"resources/list","params":{}}`,
	`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"cursor":"2"}}`,
	`{"jsonrpc":"2.0","id":8,"method":"resources/templates/list"}`,
	`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"a:b","x":1.0}}`,
	`{"jsonrpc":"2.0","id":10,"method":"resources/subscribe","params":{"uri":"a:b"}}`,
	`{"jsonrpc":"2.0","id":11,"method":"resources/unsubscribe","params":{"uri":"a:b"}}`,
	`{"jsonrpc":"2.0","id":12,"method":"resources/read","params":{"uri":["a"]}}`,
	`{"jsonrpc":"2.0","id":13,"method":"resources/read"}`,
	`{"jsonrpc":"2.0","id":14,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"a:{b}"}}}`,
	`{"jsonrpc":"2.0","id":15,"method":"notice"}`,
}

// had is what a session came to: what the client got for each of its messages, and what the upstream did.
func had(t *testing.T, o Options) (client, upstream []string) {
	t.Helper()
	u := serverWith(t, map[string]string{
		methodInitialize: `{ "protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"extensions":{}},"serverInfo":{"name":"script","version":"1.0"}}`,
		methodResources:  `{"resources":[{"uri":"a:b"}],"nextCursor":"2"}`, methodResources + `{"cursor":"2"}`: `{"resources":[ {"uri":"a:c"} ]}`,
		methodTemplates: `{"resourceTemplates":[]}`, "prompts/list": `"error":{"code":-32601,"message":"no"}`,
	})
	answer := u.handle
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() == "notice" {
			s.send(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`)
		}
		answer(s, e)
	}
	_, p, _ := publishing(t, u, newKnowledge(t), o)
	for _, frame := range ordinary {
		client = append(client, p.ask(frame))
	}
	return append(client, p.recv()), u.only().received()
}

// Assertion 65: a host that ignores the extension has the same session with it and without, but for entries that it did not ask for; and where it is off every byte
// is as it was before there was one.
func TestAHostThatIgnoresTheExtensionIsServedTheSame(t *testing.T) {
	on, onUp := had(t, Options{})
	off, offUp := had(t, Options{Serving: pack.Serving{Metadata: pack.Off}})
	compare(t, "upstream", onUp, offUp)
	removed := strings.NewReplacer(`"extensions":{"dev.adaptivemcp/tools-metadata":{}}`, `"extensions":{}`, `,`+ownResources, ``)
	for i, frame := range on {
		if strings.Contains(ordinary[min(i, len(ordinary)-1)], methodTemplates) {
			if !strings.HasPrefix(frame, `{"jsonrpc":"2.0","id":8,"result":{"resourceTemplates":[`+ownTemplate) {
				t.Errorf("templates: %s", frame)
			}
			on[i] = `{"jsonrpc":"2.0","id":8,"result":{"resourceTemplates":[]}}`
		}
		on[i] = removed.Replace(on[i])
	}
	compare(t, "client", on, off)
	if all := strings.Join(off, "\n"); strings.Contains(all, "adaptivemcp") {
		t.Errorf("it is off: %s", all)
	}
}

// Without the extension every frame is what it is with it, odd ones too.
func TestOddFramesPassBesideTheExtension(t *testing.T) {
	direct := oddScript(t)
	link, err := direct.dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	wantClient, wantUpstream := talk(t, direct, peer{t, link})
	through := oddScript(t)
	_, client, _ := publishing(t, through, newKnowledge(t), Options{})
	gotClient, gotUpstream := talk(t, through, client)
	compare(t, "upstream", gotUpstream, wantUpstream)
	for i, want := range wantClient {
		if got := gotClient[i]; got != want && !strings.Contains(got, `"extensions":{"dev.adaptivemcp/tools-metadata":{}}`) {
			t.Errorf("frame %d:\n got %s\nwant %s", i, got, want)
		}
	}
}
