package surface

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

// generator writes random JSON: every shape, and every spelling that readers differ about.
type generator struct{ *rand.Rand }

// words are names that mean something to this package, so that random items reach all of it.
var words = []string{"name", "inputSchema", "outputSchema", "properties", "required", "type", "enum", "const", "annotations", "readOnlyHint",
	"execution", "arguments", "description", "title", "uri", "uriTemplate", "mimeType", "_meta", "$ref", "items", "NAME", "__proto__", ""}

var numbers = []string{"0", "-0", "1", "1.0", "1e2", "100", "-7", "9007199254740993", "9007199254740992", "12345678901234567890", "0.1", "0.1000",
	"1e400", "-1E-7000", "1e99999", "1e-99999", "123456789.000000001", "5e-324", "2." + strings.Repeat("3", 1100)}

// pieces are parts of strings, as they stand between the quotes: surrogates as escapes and as bytes among them.
var pieces = []string{"a", "Z", " ", "é", `\u00e9`, `\/`, "/", `\"`, `\\`, `\n`, `\u0000`, "\u2028", "😀", `\ud83d\ude00`, `\ud800`, `\udfff`, `\uD800`,
	"\xed\xa0\x80", "\xed\xbf\xbf", "\xff", "\xc3", "\u0301", "\u202e", "\ufb01", `\u0061`, "~", "0"}

func pick[T any](g generator, from []T) T { return from[g.IntN(len(from))] }

func (g generator) text() string {
	var b strings.Builder
	for range g.IntN(6) {
		b.WriteString(pick(g, pieces))
	}
	return `"` + b.String() + `"`
}

func (g generator) space() string { return pick(g, []string{"", "", "", " ", "\n\t", "\r\n"}) }

func (g generator) member() string {
	if g.IntN(3) > 0 {
		return `"` + pick(g, words) + `"`
	}
	return g.text()
}

// value returns a value nested at most so deep.
func (g generator) value(depth int) string {
	if depth == 0 {
		return pick(g, []string{"null", "true", "false", pick(g, numbers), g.text()})
	}
	var parts []string
	switch g.IntN(6) {
	case 0:
		return pick(g, []string{"null", "true", "false"})
	case 1:
		return pick(g, numbers)
	case 2:
		return g.text()
	case 3:
		for range g.IntN(4) {
			parts = append(parts, g.space()+g.value(depth-1)+g.space())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for range g.IntN(6) { // names may repeat
		parts = append(parts, g.space()+g.member()+g.space()+":"+g.space()+g.value(depth-1)+g.space())
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g generator) item(key string) string {
	switch g.IntN(8) {
	case 0:
		return g.value(3)
	case 1: // deep
		levels := 1 + g.IntN(300)
		return `{"` + key + `":"deep","inputSchema":` + strings.Repeat(`{"not":`, levels) + g.value(2) + strings.Repeat(`}`, levels) + `}`
	}
	rest := strings.TrimPrefix(g.value(5), "{")
	if !strings.HasSuffix(rest, "}") || strings.TrimSpace(rest) == "}" {
		rest = `"description":` + g.text() + `}`
	}
	return `{"` + key + `":` + g.text() + `,` + rest
}

// TestRandomItemsSurvive captures random lists, writes and reads the file, and finds every item again as often as it was there.
func TestRandomItemsSurvive(t *testing.T) {
	distinct := map[string]bool{}
	for seed := range uint64(80) {
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		c := sample()
		for _, kind := range Kinds {
			for range g.IntN(12) {
				item := []byte(g.item(kind.Key()))
				if g.IntN(4) == 0 {
					c.Lists[kind] = append(c.Lists[kind], item) // and once more
				}
				c.Lists[kind] = append(c.Lists[kind], item)
			}
		}
		s := snapshot(t, c)
		data := encode(t, s)
		back, err := Decode(data)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := encode(t, back); !bytes.Equal(again, data) || back.Digest != s.Digest {
			t.Fatalf("seed %d: the file changes when it is written again", seed)
		}
		for _, kind := range Kinds {
			want, got := canonicals(c.Lists[kind]), []string{}
			for _, it := range back.Items[kind] {
				got = append(got, string(it.JSON))
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %s (-want +got)\n%s", seed, kind, diff)
			}
			for _, text := range want {
				distinct[text] = true
			}
		}
	}
	if len(distinct) < 1200 {
		t.Errorf("only %d items are different: the generator has lost its imagination", len(distinct))
	}
}

// TestRandomServersSurvive keeps whatever a server says of itself, and the names of whatever it once listed, through the folder and back.
func TestRandomServersSurvive(t *testing.T) {
	st := Store{Dir: t.TempDir()}
	for seed := range uint64(60) {
		g := generator{rand.New(rand.NewPCG(seed, 13))}
		var members []string
		for _, name := range []string{"serverInfo", "capabilities", "instructions", "x-unknown", "protocolVersion"} {
			if g.IntN(4) > 0 {
				members = append(members, `"`+name+`":`+g.value(4))
			}
		}
		name := fmt.Sprintf("s%d", seed)
		was, is := sample(), sample()
		is.Initialize = []byte("{" + strings.Join(members, ",") + "}")
		if seed%2 == 0 {
			is.Era = EraStateless
			is.Initialize = fmt.Appendf(nil, `{"_meta":{"%s":%s,"k":%s},"capabilities":%s}`, metaServerInfo, g.value(3), g.value(3), g.value(3))
		}
		for _, kind := range Kinds {
			for range g.IntN(5) {
				was.Lists[kind] = append(was.Lists[kind], []byte(g.item(kind.Key())))
			}
		}
		before, now := snapshot(t, was), snapshot(t, is)
		if err := save(st, name, before); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		stored, err := st.Replace(t.Context(), name, before, now)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		back, err := st.Load(name)
		if err != nil || back.Digest != now.Digest {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(stored.Tombstones, back.Tombstones); diff != "" {
			t.Errorf("seed %d: tombstones (-want +got)\n%s", seed, diff)
		}
		for _, part := range []struct {
			name      string
			want, got *canon.Node
		}{{"server", now.Server, back.Server}, {"capabilities", now.Capabilities, back.Capabilities}, {"instructions", now.Instructions, back.Instructions}, {"extra", now.Extra, back.Extra}} {
			if !bytes.Equal(part.want.Canonical(), part.got.Canonical()) {
				t.Errorf("seed %d: %s is %s, was %s", seed, part.name, part.got.Canonical(), part.want.Canonical())
			}
		}
		for _, m := range parse(t, canon.MustCanonical(is.Initialize)).Members {
			if m.Name != "protocolVersion" && m.Name != "_meta" && !bytes.Contains(canon.MustCanonical(encode(t, back)), m.Value.Raw) {
				t.Errorf("seed %d: %s is lost: %s", seed, m.Name, m.Value.Raw)
			}
		}
	}
}

func canonicals(items [][]byte) []string {
	texts := []string{}
	for _, raw := range items {
		texts = append(texts, string(canon.MustCanonical(raw)))
	}
	slices.Sort(texts)
	return texts
}

// TestSpellingOfItemsDoesNotCount lays random items out anew; none of their digests moves.
func TestSpellingOfItemsDoesNotCount(t *testing.T) {
	for seed := range uint64(1000) {
		g := generator{rand.New(rand.NewPCG(seed, 11))}
		raw := []byte(g.item("name"))
		it, err := NewItem(Tool, raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		again, err := NewItem(Tool, []byte(" "+string(canon.Indent(it.JSON, "\t"))+"\r\n"))
		if err != nil || again.Digest != it.Digest || again.contract != it.contract || again.text != it.text {
			t.Fatalf("the spelling counts in %s (%v)", raw, err)
		}
	}
}
