package certify_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/certify"
)

func TestTrustFileRefuses(t *testing.T) {
	ada, bob := key(t, 'a').Public(), key(t, 'b').Public()
	private, err := key(t, 'a').PEM()
	if err != nil {
		t.Fatal(err)
	}
	entry := func(k certify.PublicKey) string { return entryOf("ada", k, "certify", "") }
	quoted := func(text string) string { return string(canon.Quote(text)) }
	const low = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n-----END PUBLIC KEY-----\n"
	const rsa = "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBALKZD0nEffqM1ACuak0bijtqE2QrI/KLADv7l3kK3ppMyCuLKoF0fd7Ai2KW5ToIwzFofvJcS/STa6HA5gQenRUCAwEAAQ==\n-----END PUBLIC KEY-----\n"
	for _, tt := range []struct{ name, text, says string }{
		{"nothing", "", "null"},
		{"blank", "  \n", "null"},
		{"no keys", "schemaVersion: 1\n", "nobody is trusted"},
		{"an empty list of keys", "schemaVersion: 1\nkeys: []\n", "nobody is trusted"},
		{"a later version", "schemaVersion: 2\nkeys:\n" + entry(ada), "use a newer anvil"},
		{"no version", "keys:\n" + entry(ada), "schemaVersion is 0"},
		{"an unknown member", "schemaVersion: 1\ntrustEverybody: true\nkeys:\n" + entry(ada), "trustEverybody"},
		{"a repeated member", "schemaVersion: 1\nkeys:\n" + entry(ada) + "keys:\n" + entry(bob), "keys"},
		{"a repeated member in JSON", `{"schemaVersion":1,"keys":[],"keys":[]}`, "keys"},
		{"a key twice", "schemaVersion: 1\nkeys:\n" + entry(ada) + entryOf("eve", ada, "certify", ""), "given twice"},
		{"an id that lies", "schemaVersion: 1\nkeys:\n" + entryOf("ada", ada, "certify", ", keyid: '"+bob.ID()+"'"), "that of the key is"},
		{"a truncated id", "schemaVersion: 1\nkeys:\n" + entryOf("ada", ada, "certify", ", keyid: '"+ada.ID()[:16]+"'"), "that of the key is"},
		{"an unknown role", "schemaVersion: 1\nkeys:\n" + entryOf("ada", ada, "certify, root", ""), `role "root" is not known`},
		{"no role", "schemaVersion: 1\nkeys:\n" + entryOf("ada", ada, "", ""), "it has no role"},
		{"no name", "schemaVersion: 1\nkeys:\n" + entryOf(`""`, ada, "certify", ""), "it has no name"},
		{"no key in it", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify]}\n", "one of them"},
		{"text and path", "schemaVersion: 1\nkeys:\n" + entryOf("ada", ada, "certify", ", path: ada.pub"), "one of them"},
		{"a path out of the folder", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], path: ../ada.pub}\n", "leaves the folder"},
		{"a path from the root", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], path: /etc/ada.pub}\n", "leaves the folder"},
		{"a file that is not there", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], path: ada.pub}\n", "file does not exist"},
		{"a private key", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], public: " + quoted(string(private)) + "}\n", "belongs in no trust file"},
		{"a key of low order", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], public: " + quoted(low) + "}\n", "low order"},
		{"a key of another kind", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], public: " + quoted(rsa) + "}\n", "no Ed25519 key"},
		{"two keys in one", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], public: " + quoted(string(ada.PEM())+string(bob.PEM())) + "}\n", "more than one"},
		{"words before the key", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], public: " + quoted("hello\n"+string(ada.PEM())) + "}\n", "more than one"},
		{"no PEM", "schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], public: hello}\n", "no PEM block"},
		{"no date", "schemaVersion: 1\nkeys:\n" + entryOf("ada", ada, "certify", ", notAfter: soon"), `notAfter: "soon"`},
		{"no serial", "schemaVersion: 1\nserials: {refunds: 0}\nkeys:\n" + entry(ada), "not above 0"},
		{"a serial below 0", "schemaVersion: 1\nminimumSerial: -1\nkeys:\n" + entry(ada), "below 0"},
		{"a policy that is no digest", "schemaVersion: 1\npolicies: [sha256:12]\nkeys:\n" + entry(ada), "no digest"},
		{"no YAML", "schemaVersion: [", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := certify.DecodeTrust([]byte(tt.text), func(string) ([]byte, error) { return nil, fs.ErrNotExist })
			if err == nil || tt.says != "null" && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want one that says %q", err, tt.says)
			}
		})
	}
}

func TestTrustFileReadsKeysBesideIt(t *testing.T) {
	ada := key(t, 'a').Public()
	var asked string
	trust, err := certify.DecodeTrust([]byte("schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], path: keys/./ada.pub}\n  - "+
		strings.TrimPrefix(entryOf("bob", key(t, 'b').Public(), "gate", ""), "  - ")), func(path string) ([]byte, error) {
		asked = path
		return ada.PEM(), nil
	})
	if part, keys := trust.Scarcest(); err != nil || asked != "keys/ada.pub" || part != "capture" || keys != 1 {
		t.Errorf("%v, read %q, %d may sign for %s", err, asked, keys, part)
	}
}

func TestPrivateKeysThatAreNone(t *testing.T) {
	public := key(t, 'a').Public().PEM()
	for name, text := range map[string]string{
		"nothing": "", "a public key": string(public), "garbage": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
	} {
		if _, err := certify.ParsePrivateKey([]byte(text)); err == nil || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := certify.NewKey(strings.NewReader("short")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key of too little: %v", err)
	}
}
