package certify

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// TrustFile is the file that says whose signatures count: YAML or JSON, committed beside what it protects. A key, a role or a member that anvil does
// not know is an error, and so is a file without a key: nobody is trusted by default.
type TrustFile struct {
	SchemaVersion int            `json:"schemaVersion"` // 1
	Keys          []TrustKey     `json:"keys"`
	MinimumSerial int            `json:"minimumSerial,omitzero"` // of every pack; a certificate below it is refused
	Serials       map[string]int `json:"serials,omitempty"`      // the highest serial seen of each pack, by its id; one below it is refused
	Policies      []string       `json:"policies,omitempty"`     // digests of the policies that count; without any, every policy of a kind that anvil knows
}

// TrustKey is one key of a trust file, given as text or by its file.
type TrustKey struct {
	Name         string   `json:"name"`                  // whose it is, for people
	KeyID        string   `json:"keyid,omitzero"`        // must be that of the key where it is given
	Public       string   `json:"public,omitzero"`       // SPKI PEM
	Path         string   `json:"path,omitzero"`         // of a file with it, relative to the trust file and below it
	Roles        []string `json:"roles"`                 // what it may sign for: capture, gate, approve, or certify for the three
	NotBefore    string   `json:"notBefore,omitzero"`    // first day, or a time in RFC 3339
	NotAfter     string   `json:"notAfter,omitzero"`     // last day, or the moment from which it counts no more
	RevokedSince string   `json:"revokedSince,omitzero"` // day or time from which nothing it ever signed counts
}

// Trust is a trust file that was read: keys in the order of the file.
type Trust struct {
	file TrustFile
	keys []trustedKey
}

type trustedKey struct {
	TrustKey
	PublicKey
	notBefore, notAfter, revoked time.Time // zero where nothing is said
}

// DecodeTrust reads a trust file. read returns the content of a file beside it, by its path with "/". The error is a *[yaml.Error] where it is about a line.
func DecodeTrust(data []byte, read func(path string) ([]byte, error)) (Trust, error) {
	file, lines, err := readTrustFile(data)
	if err != nil {
		return Trust{}, err
	}
	t := Trust{file: file}
	switch {
	case file.SchemaVersion != 1:
		return Trust{}, wrongAt(lines, "/schemaVersion", "schemaVersion is %d, and this version of anvil reads 1; write schemaVersion: 1, or use a newer anvil", file.SchemaVersion)
	case len(file.Keys) == 0:
		return Trust{}, wrongAt(lines, "/keys", "it has no key, so nobody is trusted; add one with what `anvil keys show FILE` prints")
	case file.MinimumSerial < 0:
		return Trust{}, wrongAt(lines, "/minimumSerial", "minimumSerial is below 0; give the lowest serial that still counts")
	}
	for _, id := range slices.Sorted(maps.Keys(file.Serials)) {
		if file.Serials[id] < 1 {
			return Trust{}, wrongAt(lines, "/serials"+canon.Pointer(id), "serials: that of %q is not above 0; give the highest serial seen of the pack", id)
		}
	}
	for i, digest := range file.Policies {
		if !canon.IsDigest(digest) {
			return Trust{}, wrongAt(lines, fmt.Sprintf("/policies/%d", i), "policies: %q is no digest; give sha256: and 64 hexadecimal digits, as a certification has them", digest)
		}
	}
	for i, k := range file.Keys {
		key, err := t.trusted(k, read)
		if err != nil {
			return Trust{}, wrongAt(lines, fmt.Sprintf("/keys/%d", i), "keys[%d] (%q): %v", i, k.Name, err)
		}
		t.keys = append(t.keys, key)
	}
	return t, nil
}

// trusted reads one key, and refuses one that is there already: it would count twice.
func (t Trust) trusted(k TrustKey, read func(path string) ([]byte, error)) (key trustedKey, err error) {
	key.TrustKey = k
	if err := k.check(); err != nil {
		return key, err
	}
	text := []byte(k.Public)
	if k.Path != "" {
		if text, err = read(path.Clean(k.Path)); err != nil {
			return key, err
		}
	}
	if IsPrivate(text) {
		return key, errors.New("it is a private key, which belongs in no trust file; give the public one, and make a new key if this file was shown to others")
	}
	if key.PublicKey, err = ParsePublicKey(text); err != nil {
		return key, err
	}
	if k.KeyID != "" && k.KeyID != key.ID() {
		return key, fmt.Errorf("keyid is %s, and that of the key is %s", k.KeyID, key.ID())
	}
	if slices.ContainsFunc(t.keys, func(other trustedKey) bool { return other.ID() == key.ID() }) {
		return key, errors.New("the key is given twice; each counts once")
	}
	for _, moment := range []struct {
		name, text string
		at         *time.Time
		last       bool
	}{{"notBefore", k.NotBefore, &key.notBefore, false}, {"notAfter", k.NotAfter, &key.notAfter, true}, {"revokedSince", k.RevokedSince, &key.revoked, false}} {
		if *moment.at, err = parseMoment(moment.text, moment.last); err != nil {
			return key, fmt.Errorf("%s: %w", moment.name, err)
		}
	}
	return key, nil
}

// check says what is wrong with the entry itself.
func (k TrustKey) check() error {
	switch {
	case !diag.Legible(k.Name):
		return errors.New("it has no name; say whose key it is")
	case !diag.Plain(k.Name):
		return fmt.Errorf("its name \"%s\" does not show as it is, and could pass for another: leave out what is an escape here, and blanks at the ends", diag.Printable(k.Name))
	case (k.Public == "") == (k.Path == ""):
		return errors.New("give the key by public or by path, one of them")
	case k.Path != "" && (!filepath.IsLocal(k.Path) || strings.ContainsAny(k.Path, `\:`)):
		return fmt.Errorf("path %q leaves the folder of the trust file", k.Path)
	case len(k.Roles) == 0:
		return fmt.Errorf("it has no role; give it roles: [%s]", RoleCertify)
	}
	for _, role := range k.Roles {
		if !slices.Contains(allRoles, role) {
			return fmt.Errorf("role %q is not known: use %s", role, strings.Join(allRoles, ", "))
		}
	}
	return nil
}

// parseMoment reads a day or a time; the zero time for nothing. A last day is over when it ends.
func parseMoment(text string, last bool) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil && !last {
		return day, nil
	}
	return air.ParseEnd(text)
}
