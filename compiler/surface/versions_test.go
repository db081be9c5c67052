package surface

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

// frozenV1 is a file of version 1 as anvil 0.1 wrote it for the example server, after a tool and a resource had gone. It is never written again.
func frozenV1(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/v1/refunds" + FileSuffix)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const frozenV1Digests = `file sha256:15eb98a0b3e11e885fa9ff4b916784670727441f3ba9c00633ba6f055fdad1ca
digest sha256:31f7da9eaec8658dc0d8b5626a3d6ba7d3c4d660fb02eb60df456336f814e63f
surface sha256:61c7f99a9920c928c93e29fecca756dc41f7217720808cc37a5841e56a825720
contract sha256:2fd1ff048610384cca30ef07d0146696106fd6a9d41528253408174ed98aeaf1
text sha256:dc2e99bf2391eb65f864eab97f2697af8ae04b92fcd68453860bec9ff123c6ee
identity sha256:f1b5662fccbcc953d68113fcae440898ad4e3d7bd272d83e6800bf6491d1c772
tool create_refund sha256:79ac0f66fb83d881087c569bc4b1a3de634efa11821eeb20966a0f4b3651b993
counts tool=10 resource=1 resourceTemplate=1 prompt=2 tombstones=2
`

// TestFrozenV1 reads a file of version 1 as every later anvil has to. While 1 is the version that is written, it is also written to the byte.
func TestFrozenV1(t *testing.T) {
	data := frozenV1(t)
	s, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("file %s\ndigest %s\nsurface %s\ncontract %s\ntext %s\nidentity %s\ntool create_refund %s\ncounts", canon.Digest(data), s.Digest,
		s.Digests.Surface, s.Digests.Contract, s.Digests.Text, s.Digests.Identity, s.Digests.Tools["create_refund"])
	for _, kind := range Kinds {
		got += fmt.Sprintf(" %s=%d", kind, len(s.Items[kind]))
	}
	got += fmt.Sprintf(" tombstones=%d\n", len(s.Tombstones))
	if diff := cmp.Diff(frozenV1Digests, got); diff != "" {
		t.Errorf("a file of version 1 reads otherwise: give the format a new version and keep the reader of this one (-want +got)\n%s", diff)
	}
	if again := encode(t, s); SchemaVersion == 1 && !bytes.Equal(again, data) {
		t.Errorf("version 1 is written otherwise (-want +got)\n%s", cmp.Diff(string(data), string(again)))
	}
}

func TestNewestVersionIsWritten(t *testing.T) {
	if len(versions) != SchemaVersion || versions[SchemaVersion-1].upgrade != nil {
		t.Errorf("the table ends with version %d, version %d is written", len(versions), SchemaVersion)
	}
	for i, v := range versions {
		if v.read == nil || v.verify == nil || (v.upgrade == nil) != (i == len(versions)-1) {
			t.Errorf("version %d lacks a function, or the newest has an upgrade", i+1)
		}
	}
}

// A newer version may have no member of this one's, and is still told from what is no snapshot.
func TestNewerVersionOfAnotherShape(t *testing.T) {
	_, err := Decode([]byte(`{"schemaVersion": 2, "sums": {}}`))
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "update anvil") {
		t.Errorf("got %v", err)
	}
	if _, err := Decode([]byte(`{"schemaVersion": 1, "canon": "anvil-c14n/1"}`)); err == nil || !strings.Contains(err.Error(), "it has no digests") {
		t.Errorf("without digests: %v", err)
	}
}

func TestVersionsThatAreRefused(t *testing.T) {
	good := string(frozenV1(t))
	tests := []struct{ version, want string }{
		{"2", "it has schemaVersion 2 and this anvil reads up to 1; update anvil"},
		{"9007199254740993", "it has schemaVersion 9007199254740993 and this anvil reads up to 1; update anvil"},
		{"99999999999999999999", "schemaVersion 99999999999999999999 is none that was ever written"},
		{"0", "schemaVersion 0 is none that was ever written"},
		{"-1", "schemaVersion -1 is none that was ever written"},
		{"1.5", "schemaVersion 1.5 is none that was ever written"},
		{"1e-400", "schemaVersion 1e-400 is none that was ever written"},
		{`"1"`, `schemaVersion "1" is none that was ever written`},
		{"null", "schemaVersion null is none that was ever written"},
		{"true", "schemaVersion true is none that was ever written"},
		{"[1]", "schemaVersion [1] is none that was ever written"},
		{`1, "schemaVersion": 1`, "duplicate"},
		{"", "it has no schemaVersion, so it is no snapshot"},
	}
	for _, tt := range tests {
		t.Run(tt.version, func(t *testing.T) {
			member := `"schemaVersion": ` + tt.version + ","
			if tt.version == "" {
				member = ""
			}
			_, err := Decode([]byte(strings.Replace(good, `"schemaVersion": 1,`, member, 1)))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// The versions after this one, as tests have them: 2 calls the endpoint "reachedBy" and has a digest of its own making, 3 only counts on.
var (
	testV2 = version{read: readTestV2, verify: verifyTestV2}
	testV3 = version{read: func(file *canon.Node, known items) (*McpSurfaceSnapshot, error) {
		return readTestV2(renamed(file, nil, "2"), known)
	}, verify: verifyTestV2}
	toV2 = func(file *canon.Node) (*canon.Node, error) {
		return renamed(file, map[string]string{"endpoint": "reachedBy"}, "2"), nil
	}
	toV3 = func(file *canon.Node) (*canon.Node, error) { return renamed(file, nil, "3"), nil }
)

func upgradable(v version, upgrade func(*canon.Node) (*canon.Node, error)) version {
	v.upgrade = upgrade
	return v
}

// renamed returns the file with other names at the top and another schemaVersion.
func renamed(file *canon.Node, names map[string]string, schemaVersion string) *canon.Node {
	var b canon.Builder
	for _, m := range file.Members {
		switch name, ok := names[m.Name]; {
		case m.Name == "schemaVersion":
			b.Add(m.Name, []byte(schemaVersion))
		case ok:
			b.Add(name, m.Value.Raw)
		default:
			b.Add(m.Name, m.Value.Raw)
		}
	}
	next, err := canon.Parse(b.Bytes())
	if err != nil {
		panic(err)
	}
	return next
}

func readTestV2(file *canon.Node, known items) (*McpSurfaceSnapshot, error) {
	if v, _ := file.Get("schemaVersion").Int(); v != 2 || file.Get("reachedBy") == nil {
		return nil, errors.New("no file of version 2")
	}
	s, err := readV1(renamed(file, map[string]string{"reachedBy": "endpoint"}, "1"), known)
	if err == nil {
		s.Digest = canon.Digest([]byte("v2"), []byte(s.Digest))
	}
	return s, err
}

func verifyTestV2(s *McpSurfaceSnapshot, file *canon.Node) []string {
	if file.Get("digest").Text() != s.Digest {
		return []string{"digest"}
	}
	return nil
}

// TestOlderVersionIsUpgraded reads a file of version 1 as an anvil of version 2 and one of version 3 would.
func TestOlderVersionIsUpgraded(t *testing.T) {
	data := frozenV1(t)
	now, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	v1 := upgradable(versions[0], toV2)
	for name, table := range map[string][]version{
		"version 2": {v1, testV2},
		"version 3": {v1, upgradable(testV2, toV3), testV3},
	} {
		got, err := decode(parse(t, data), table, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Digest != canon.Digest([]byte("v2"), []byte(now.Digest)) {
			t.Errorf("%s: the digest is not the new version's", name)
		}
		if got.Digest = now.Digest; !bytes.Equal(encode(t, got), data) {
			t.Errorf("%s: the surface changed (-want +got)\n%s", name, cmp.Diff(string(data), string(encode(t, got))))
		}
	}
	for _, newest := range [][]version{{v1, testV2}, {v1, upgradable(testV2, toV3), testV3}} {
		file, err := toV2(parse(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(file, newest, nil); !errors.Is(err, ErrDigest) {
			t.Errorf("a file of version 2 with the digest of version 1: %v", err)
		}
	}
}

// TestOlderVersionIsVerifiedAsWritten changes a file of version 1 by hand. The digests of version 2 are not stated in it, so nobody would notice
// after the upgrade.
func TestOlderVersionIsVerifiedAsWritten(t *testing.T) {
	good := string(frozenV1(t))
	table := []version{upgradable(versions[0], toV2), testV2}
	for _, change := range [][2]string{
		{"Asks for a review", "Skips a review"},
		{`"digest": "sha256:31f7`, `"digest": "sha256:31f8`},
		{`"reopen_refund": "sha256:1b34`, `"reopen_refund": "sha256:1b35`},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if _, err := decode(parse(t, []byte(text)), table, nil); text == good || !errors.Is(err, ErrDigest) {
			t.Errorf("%s: %v", change[1], err)
		}
	}
	broken := []version{upgradable(versions[0], func(*canon.Node) (*canon.Node, error) { return nil, errors.New("no way") }), testV2}
	if _, err := decode(parse(t, []byte(good)), broken, nil); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "bring version 1 to 2: no way") {
		t.Errorf("an upgrade that fails: %v", err)
	}
	lost := []version{upgradable(versions[0], toV3), testV2}
	if _, err := decode(parse(t, []byte(good)), lost, nil); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "version 1, brought to 2: no file of version 2") {
		t.Errorf("an upgrade that goes wrong: %v", err)
	}
}
