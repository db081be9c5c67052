package facade

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
	"anvil/wire"
)

// TestCorpusPassesByteForByte puts a facade before every captured surface: what a client gets of it is what the server sent, to the byte, in order and whole.
func TestCorpusPassesByteForByte(t *testing.T) {
	lists := map[string]surface.Kind{
		methodList: surface.Tool, "resources/list": surface.Resource, "resources/templates/list": surface.ResourceTemplate, "prompts/list": surface.Prompt,
	}
	tools := 0
	for _, name := range corpus.Names(t) {
		c, whole := corpus.Read(t, name)
		t.Run(name, func(t *testing.T) {
			exposure := exposureOf(t, c)
			u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
				switch kind, ok := lists[e.MethodName()]; {
				case !e.IsRequest():
				case e.MethodName() == methodInitialize:
					s.reply(e, string(c.Initialize))
				case ok && kind == surface.Tool: // in pages
					s.reply(e, page(c.Lists[kind], string(e.Bytes(e.Params))))
				case ok:
					s.reply(e, `{"`+kind.List()+`":[`+string(bytes.Join(c.Lists[kind], []byte(",")))+`]}`)
				default:
					s.answer(e)
				}
			}}
			client, _ := connect(t, newFacade(t, Options{Exposure: exposure, Dial: u.dial}))
			if got, want := client.ask(asksNobody), `"result":`+string(c.Initialize)+`}`; whole.Get("initialize").IsObject() && !strings.HasSuffix(got, want) {
				t.Errorf("initialize\ngot  %.500s\nwant %.500s", got, want)
			}
			for method, kind := range lists {
				var want [][]byte
				for _, item := range c.Lists[kind] {
					if kind != surface.Tool || isExposed(t, exposure, item) {
						want = append(want, item)
					}
				}
				list := `"` + kind.List() + `":[` + string(bytes.Join(want, []byte(","))) + `]`
				if got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`); !strings.Contains(got, list) {
					t.Errorf("%s is not what the server sent: %.300s", method, got)
				}
			}
			tools += len(exposure.Tools)
		})
	}
	t.Logf("%d tools", tools)
	if tools < 2500 {
		t.Errorf("%d tools in the whole corpus", tools)
	}
}

// page is one page of seven tools, at the cursor of the params.
func page(tools [][]byte, params string) string {
	at := 0
	_, _ = fmt.Sscanf(params, `{"cursor":"%d"}`, &at)
	end := min(at+7, len(tools))
	next := ""
	if end < len(tools) {
		next = fmt.Sprintf(`,"nextCursor":"%d"`, end)
	}
	return `{"tools":[` + string(bytes.Join(tools[at:end], []byte(","))) + `]` + next + `}`
}

// exposureOf approves every tool of a capture that can be: one of a name that no other has, and in which no member is given twice or disguised.
func exposureOf(t *testing.T, c surface.Capture) Exposure {
	x := Exposure{Tools: map[string]Tool{}}
	seen := map[string]int{}
	for _, raw := range c.Lists[surface.Tool] {
		item, err := surface.NewItem(surface.Tool, raw)
		if err != nil || hasDuplicates(item.Node) || disguise(item.Node) != "" {
			continue
		}
		seen[item.Name]++
		x.Tools[item.Name] = Tool{Item: item}
	}
	for name, n := range seen {
		if n > 1 {
			delete(x.Tools, name)
		}
	}
	welcome, err := canon.Parse(c.Initialize)
	if err != nil {
		t.Fatal(err)
	}
	x.Instructions, x.Server = welcome.Get("instructions").Canonical(), welcome.Get("serverInfo").Canonical()
	return x
}

func isExposed(t *testing.T, x Exposure, raw []byte) bool {
	n, err := canon.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	_, ok := x.Tools[n.Get("name").Text()]
	return ok
}
