package surface

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

const sampleInitialize = `{"protocolVersion":"2025-11-25","serverInfo":{"name":"shop","version":"1.2.0","x-build":9007199254740993},
	"capabilities":{"tools":{"listChanged":true},"x-new":{}},"instructions":"Ask first.","_meta":{"k":1}}`

var sampleTools = []string{
	`{"name":"search","description":"Find","inputSchema":{"type":"object","properties":{"q":{"type":["string","null"],"enum":["a","b"]}},"required":["q"]},"annotations":{"readOnlyHint":true,"x-hint":1},"execution":{"taskSupport":"optional"},"x-unknown":[1.0,12345678901234567890]}`,
	`{"name":"delete","title":"Delete","inputSchema":{"type":"object","required":["b","a"]},"outputSchema":{"type":"object"},"_meta":{"n":1}}`,
}

func sample() Capture {
	return Capture{
		Endpoint: "shop --token=***", Era: "handshake", ProtocolVersion: "2025-11-25", Transport: "stdio", ClientProfile: "full",
		Initialize: []byte(sampleInitialize),
		Lists: map[Kind][][]byte{
			Tool:             {[]byte(sampleTools[0]), []byte(sampleTools[1])},
			Resource:         {[]byte(`{"uri":"shop://a","name":"A","mimeType":"text/plain","size":12}`)},
			ResourceTemplate: {[]byte(`{"uriTemplate":"shop://{id}","name":"T"}`)},
			Prompt:           {[]byte(`{"name":"ask","description":"d","arguments":[{"name":"x","required":true,"description":"the x"},{"name":"y"}]}`)},
		},
	}
}

func snapshot(t *testing.T, c Capture) *McpSurfaceSnapshot {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func encode(t *testing.T, s *McpSurfaceSnapshot) []byte {
	t.Helper()
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDigestVectors pins the digests of the sample: a change here is a change of the format.
func TestDigestVectors(t *testing.T) {
	s := snapshot(t, sample())
	got := fmt.Sprintf("%s\n%s\n%s\n%s\n%s\n%v", s.Digest, s.Digests.Surface, s.Digests.Contract, s.Digests.Text, s.Digests.Identity, s.Digests.Tools)
	want := vectors
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRoundTrip(t *testing.T) {
	s := snapshot(t, sample())
	data := encode(t, s)
	back, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if again := encode(t, back); !bytes.Equal(data, again) {
		t.Errorf("file changed on the way:\n%s", cmp.Diff(string(data), string(again)))
	}
	for _, raw := range sampleTools {
		want := canon.MustCanonical([]byte(raw))
		if !bytes.Contains(canon.MustCanonical(data), want) {
			t.Errorf("tool is not in the file whole: %s", want)
		}
	}
	for _, text := range []string{`"x-build": 9007199254740993`, `"x-unknown"`, `12345678901234567890`, `"_meta"`} {
		if !strings.Contains(string(data), text) {
			t.Errorf("file lost %s", text)
		}
	}
}

// TestDigestDomains changes one field at a time; exactly the digests named must move.
func TestDigestDomains(t *testing.T) {
	tests := []struct {
		name, moved string
		change      func(*Capture)
	}{
		{"endpoint", "", func(c *Capture) { c.Endpoint = "elsewhere" }},
		{"tool order", "", func(c *Capture) { l := c.Lists[Tool]; l[0], l[1] = l[1], l[0] }},
		{"required order", "", replaceTool(1, `["b","a"]`, `["a","b"]`)},
		{"type order", "", replaceTool(0, `["string","null"]`, `["null","string"]`)},
		{"number spelling", "", replaceTool(0, `1.0`, `1e0`)},
		{"key order", "", replaceTool(1, `{"name":"delete","title":"Delete"`, `{"title":"Delete","name":"delete"`)},
		{"enum order", "digest surface text tools", replaceTool(0, `["a","b"]`, `["b","a"]`)},
		{"description", "digest surface text tools", replaceTool(0, `"Find"`, `"Found"`)},
		{"tool title", "digest surface text tools", replaceTool(1, `"Delete"`, `"Erase"`)},
		{"tool name", "contract digest surface text tools", replaceTool(1, `"delete"`, `"erase"`)},
		{"input type", "contract digest surface tools", replaceTool(1, `"inputSchema":{"type":"object"`, `"inputSchema":{"type":"array"`)},
		{"required", "contract digest surface tools", replaceTool(1, `["b","a"]`, `["a"]`)},
		{"output schema", "contract digest surface tools", replaceTool(1, `"outputSchema":{"type":"object"}`, `"outputSchema":{"type":"object","required":["z"]}`)},
		{"hint", "contract digest surface tools", replaceTool(0, `"readOnlyHint":true`, `"readOnlyHint":false`)},
		{"hint made explicit", "digest surface tools", replaceTool(0, `"readOnlyHint":true`, `"readOnlyHint":true,"openWorldHint":true`)},
		{"execution", "contract digest surface text tools", replaceTool(0, `"optional"`, `"required"`)},
		{"unknown member", "digest surface tools", replaceTool(0, `12345678901234567890`, `12345678901234567891`)},
		{"tool meta", "digest surface tools", replaceTool(1, `"n":1`, `"n":2`)},
		{"resource mime type", "contract digest surface text", replaceItem(Resource, `text/plain`, `text/html`)},
		{"resource size", "digest surface", replaceItem(Resource, `12`, `13`)},
		{"template", "contract digest surface text", replaceItem(ResourceTemplate, `{id}`, `{key}`)},
		{"prompt argument required", "contract digest surface", replaceItem(Prompt, `{"name":"y"}`, `{"name":"y","required":true}`)},
		{"prompt argument text", "digest surface text", replaceItem(Prompt, `the x`, `an x`)},
		{"server version", "digest identity", replaceInitialize(`1.2.0`, `1.2.1`)},
		{"server unknown member", "digest identity", replaceInitialize(`9007199254740993`, `9007199254740992`)},
		{"capability", "contract digest surface", replaceInitialize(`"listChanged":true`, `"listChanged":false`)},
		{"unknown capability", "contract digest surface", replaceInitialize(`"x-new"`, `"x-newer"`)},
		{"instructions", "digest surface text", replaceInitialize(`Ask first.`, `Never ask.`)},
		{"extra", "digest", replaceInitialize(`{"k":1}`, `{"k":2}`)},
		{"protocol version", "digest identity", func(c *Capture) { c.ProtocolVersion = "2025-06-18" }},
		{"transport", "digest identity", func(c *Capture) { c.Transport = "http" }},
		{"era", "digest", func(c *Capture) { c.Era = "later" }},
		{"supported versions", "digest", func(c *Capture) { c.SupportedVersions = []string{"2025-06-18"} }},
		{"client profile", "digest", func(c *Capture) { c.ClientProfile = "bare" }},
	}
	base := snapshot(t, sample())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := sample()
			tt.change(&c)
			if got := moved(base, snapshot(t, c)); got != tt.moved {
				t.Errorf("moved %q, want %q", got, tt.moved)
			}
		})
	}
}

func replaceItem(kind Kind, from, to string) func(*Capture) {
	return func(c *Capture) { c.Lists[kind][0] = replaced(c.Lists[kind][0], from, to) }
}

func replaceTool(i int, from, to string) func(*Capture) {
	return func(c *Capture) { c.Lists[Tool][i] = replaced(c.Lists[Tool][i], from, to) }
}

func replaceInitialize(from, to string) func(*Capture) {
	return func(c *Capture) { c.Initialize = replaced(c.Initialize, from, to) }
}

func replaced(text []byte, from, to string) []byte {
	if strings.Count(string(text), from) != 1 {
		panic("want one " + from)
	}
	return []byte(strings.Replace(string(text), from, to, 1))
}

func moved(a, b *McpSurfaceSnapshot) string {
	var names []string
	for _, d := range []struct{ name, a, b string }{
		{"contract", a.Digests.Contract, b.Digests.Contract}, {"digest", a.Digest, b.Digest}, {"identity", a.Digests.Identity, b.Digests.Identity},
		{"surface", a.Digests.Surface, b.Digests.Surface}, {"text", a.Digests.Text, b.Digests.Text},
		{"tools", fmt.Sprint(a.Digests.Tools), fmt.Sprint(b.Digests.Tools)},
	} {
		if d.a != d.b {
			names = append(names, d.name)
		}
	}
	return strings.Join(names, " ")
}

// TestFlippedByte flips every byte of a file in turn. Each is refused, or stands where no digest reaches: endpoint and layout.
func TestFlippedByte(t *testing.T) {
	s := snapshot(t, sample())
	data := encode(t, s)
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		got, err := Decode(bad)
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDigest) {
				t.Fatalf("byte %d: error of no kind: %v", i, err)
			}
			continue
		}
		got.Endpoint = s.Endpoint
		if !bytes.Equal(encode(t, got), data) {
			t.Errorf("byte %d (%q in %q) flipped unnoticed", i, data[i], data[max(0, i-20):min(len(data), i+20)])
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := string(encode(t, snapshot(t, sample())))
	tests := []struct {
		name, text string
		want       error
	}{
		{"not JSON", "hello", ErrFormat},
		{"other JSON", `{"tools":[]}`, ErrFormat},
		{"newer version", strings.Replace(good, `"schemaVersion": 1`, `"schemaVersion": 2`, 1), ErrFormat},
		{"other canonical form", strings.Replace(good, canon.ID, "jcs", 1), ErrFormat},
		{"unknown member", strings.Replace(good, `"endpoint"`, `"x": 1, "endpoint"`, 1), ErrFormat},
		{"tools given twice", strings.Replace(good, `"resources": [`, `"tools": [], "resources": [`, 1), ErrFormat},
		{"list missing", strings.Replace(good, `"prompts": [`, `"prompts": null, "x": [`, 1), ErrFormat},
		{"hand-edited", strings.Replace(good, `"Find"`, `"Find and obey"`, 1), ErrDigest},
		{"tool digest dropped", strings.Replace(good, `"search": "sha256`, `"lost": "sha256`, 1), ErrDigest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Decode([]byte(tt.text)); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// TestAnyItemSurvives captures list items of every JSON shape, odd text included.
func TestAnyItemSurvives(t *testing.T) {
	c := sample()
	odd := []string{`null`, `5`, `"text"`, `[]`, `{}`, `{"name":5}`, `{"name":"a","name":"b"}`, `{"name":"\ud800"}`, "{\"name\":\"\xff\"}",
		`{"name":"n","inputSchema":"x"}`, `{"name":"n","inputSchema":null,"annotations":[]}`, `{"name":"__proto__","__proto__":{"a":1}}`, `{"name":"big","v":1e400}`}
	for _, kind := range Kinds {
		for _, text := range odd {
			c.Lists[kind] = append(c.Lists[kind], []byte(text))
		}
	}
	s := snapshot(t, c)
	back, err := Decode(encode(t, s))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds {
		for _, text := range odd {
			want := canon.MustCanonical([]byte(text))
			found := false
			for _, it := range back.Items[kind] {
				found = found || bytes.Equal(it.JSON, want)
			}
			if !found {
				t.Errorf("%s %s is lost", kind, text)
			}
		}
	}
}

func TestShuffledCaptureGivesEqualBytes(t *testing.T) {
	want := encode(t, snapshot(t, sample()))
	for seed := range uint64(20) {
		c := sample()
		r := rand.New(rand.NewPCG(seed, 1))
		for _, l := range c.Lists {
			r.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
		}
		if got := encode(t, snapshot(t, c)); !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %s", seed, cmp.Diff(string(want), string(got)))
		}
	}
}

// TestStatelessEra reads what server/discover answers: identity from _meta, observations about caching left out, the rest kept.
func TestStatelessEra(t *testing.T) {
	c := sample()
	c.Era, c.ProtocolVersion, c.SupportedVersions = EraStateless, "2026-07-28", []string{"2026-07-28", "2025-11-25"}
	c.Initialize = []byte(`{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"2"},"k":1},"ttlMs":5,
		"cacheScope":"public","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"i","x":1}`)
	s := snapshot(t, c)
	if s.ServerName() != "shop" || s.Instructions.Text() != "i" || string(s.Extra.Canonical()) != `{"_meta":{"k":1},"x":1}` {
		t.Errorf("%s, %s, extra %s", s.ServerName(), s.Instructions.Text(), s.Extra.Canonical())
	}
	c.Initialize = []byte(strings.Replace(string(c.Initialize), `"ttlMs":5`, `"ttlMs":6`, 1))
	if again := snapshot(t, c); again.Digest != s.Digest {
		t.Error("an observation about caching moves the digest")
	}
	c.Initialize = []byte(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
	if anonymous := snapshot(t, c); anonymous.Server != nil || anonymous.Extra != nil {
		t.Error("a server without identity got one")
	}
	if back, err := Decode(encode(t, s)); err != nil || back.Digest != s.Digest || back.Era != EraStateless {
		t.Errorf("%v", err)
	}
}

func TestTombstones(t *testing.T) {
	old := snapshot(t, sample())
	c := sample()
	c.Lists[Tool] = c.Lists[Tool][:1]
	now := snapshot(t, c).WithHistory(old)
	want := []Tombstone{{Tool, "delete", old.Digests.Tools["delete"]}}
	if diff := cmp.Diff(want, now.Tombstones); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if again := snapshot(t, c).WithHistory(now); len(again.Tombstones) != 1 {
		t.Errorf("tombstone lost on the next capture: %v", again.Tombstones)
	}
	if back := snapshot(t, sample()).WithHistory(now); len(back.Tombstones) != 0 {
		t.Errorf("tombstone of an item that is back: %v", back.Tombstones)
	}
}

func TestStore(t *testing.T) {
	st := Store{Dir: t.TempDir() + "/new"}
	if names, err := st.Names(); err != nil || len(names) != 0 {
		t.Fatalf("empty store: %v, %v", names, err)
	}
	if _, err := st.Load("shop"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	s := snapshot(t, sample())
	if err := save(st, "shop", s); err != nil {
		t.Fatal(err)
	}
	got, err := st.Load("shop")
	if err != nil || got.Digest != s.Digest {
		t.Fatalf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "../x", "a/b", ".hidden", strings.Repeat("a", 200)} {
		if err := save(st, bad, s); err == nil {
			t.Errorf("name %q taken", bad)
		}
	}
	if names, _ := st.Names(); len(names) != 1 || names[0] != "shop" {
		t.Errorf("names %v", names)
	}
}
