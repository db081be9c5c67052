package certify

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/yaml"
)

// The members that are told to people are those of the types, no more and no fewer.
func TestTrustMembersAreThoseOfTheTypes(t *testing.T) {
	for typ, members := range map[reflect.Type]map[string]value{reflect.TypeFor[TrustFile](): trustMembers, reflect.TypeFor[TrustKey](): keyMembers} {
		var want, got []string
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			want = append(want, name)
		}
		for name := range members {
			got = append(got, name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got)\n%s", typ, diff)
		}
	}
}

// What is wrong with a trust file is told with its line and what is allowed, in words of the file and none of the program's.
func TestTrustFileTellsLines(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
		says string
	}{
		{"schemaVersion: one\n", 1, "schemaVersion of a trust file must be a whole number"},
		{"schemaVersion: 1\nkeys: ada\n", 2, "keys of a trust file must be a list of keys"},
		{"schemaVersion: 1\nkeys:\n  - ada\n", 3, "keys[0] must be a map of keyid, name, notAfter"},
		{"schemaVersion: 1\nkeys:\n  - name: ada\n    roles: certify\n", 4, "roles of keys[0] must be a list of texts"},
		{"schemaVersion: 1\nkeys:\n  - name: ada\n    roles: [1]\n", 4, "roles of keys[0] must be a list of texts"},
		{"schemaVersion: 1\nkeys:\n  - name: ada\n    rolls: [certify]\n", 4, `keys[0] has no member "rolls"; it may have keyid, name, notAfter, notBefore, path, public, revokedSince, roles`},
		{"schemaVersion: 1\neverybody: true\n", 2, `a trust file has no member "everybody"; it may have keys, minimumSerial, policies, schemaVersion, serials`},
		{"schemaVersion: 1\nkeys:\n  - name: ada\n    revokedSince: \"\"\n", 4, "revokedSince of keys[0] must be a time, or left out"},
		{"schemaVersion: 1\nkeys:\n  - name: ada\n    notAfter: ''\n", 4, "notAfter of keys[0] must be a time, or left out"},
		{"schemaVersion: 1\nserials:\n  refunds: many\n", 2, "serials of a trust file must be a map of whole numbers"},
		{"schemaVersion: 1\nminimumSerial: 1.5\n", 2, "minimumSerial of a trust file must be a whole number"},
		{"schemaVersion: 1\nkeys:\n  - {name: ada, roles: [root], path: a}\n", 3, `role "root" is not known: use certify, capture, gate, approve`},
		{"schemaVersion: 1\npolicies:\n  - x\n", 1, "it has no key"},
		{"[]", 1, "a trust file must be a map of keys"},
		{"schemaVersion: 1\nkeys: [\n", 2, ""},
	} {
		_, err := DecodeTrust([]byte(tt.text), nil)
		var at *yaml.Error
		if !errors.As(err, &at) || at.Line != tt.line || !strings.Contains(at.Msg, tt.says) || strings.Contains(at.Msg, "certify.") || strings.Contains(at.Msg, "Go ") {
			t.Errorf("%q: %v, want line %d and %q", tt.text, err, tt.line, tt.says)
		}
	}
}
