package certify

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/yaml"
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
	Roles        []string `json:"roles"`                 // what it may sign: certify, capture, gate, approve; anvil asks for certify
	NotBefore    string   `json:"notBefore,omitzero"`    // first day, or a time in RFC 3339
	NotAfter     string   `json:"notAfter,omitzero"`     // last day, or the moment from which it counts no more
	RevokedSince string   `json:"revokedSince,omitzero"` // day or time from which nothing it ever signed counts
}

// RoleCertify is the role that a key needs to certify a pack.
const RoleCertify = "certify"

// roles are the words that a trust file may use. The others are of later uses.
var roles = []string{RoleCertify, "capture", "gate", "approve"}

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

// DecodeTrust reads a trust file. read returns the content of a file beside it, by its path with "/".
func DecodeTrust(data []byte, read func(path string) ([]byte, error)) (Trust, error) {
	text, _, err := yaml.ToJSON(data)
	if err != nil {
		return Trust{}, err
	}
	var t Trust
	if err := strict(text, &t.file); err != nil {
		return Trust{}, err
	}
	switch {
	case t.file.SchemaVersion != 1:
		return Trust{}, fmt.Errorf("schemaVersion is %d, and this version of anvil reads 1; write schemaVersion: 1, or use a newer anvil", t.file.SchemaVersion)
	case len(t.file.Keys) == 0:
		return Trust{}, errors.New("it has no key, so nobody is trusted; add one with what `anvil keys show FILE` prints")
	case t.file.MinimumSerial < 0:
		return Trust{}, errors.New("minimumSerial is below 0")
	}
	for id, serial := range t.file.Serials {
		if serial < 1 {
			return Trust{}, fmt.Errorf("serials: that of %q is not above 0", id)
		}
	}
	for _, digest := range t.file.Policies {
		if !canon.IsDigest(digest) {
			return Trust{}, fmt.Errorf("policies: %q is no digest", digest)
		}
	}
	for i, k := range t.file.Keys {
		key, err := t.trusted(k, read)
		if err != nil {
			return Trust{}, fmt.Errorf("keys[%d] (%q): %w", i, k.Name, err)
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
	case (k.Public == "") == (k.Path == ""):
		return errors.New("give the key by public or by path, one of them")
	case k.Path != "" && (!filepath.IsLocal(k.Path) || strings.ContainsAny(k.Path, `\:`)):
		return fmt.Errorf("path %q leaves the folder of the trust file", k.Path)
	case len(k.Roles) == 0:
		return fmt.Errorf("it has no role; give it roles: [%s]", RoleCertify)
	}
	for _, role := range k.Roles {
		if !slices.Contains(roles, role) {
			return fmt.Errorf("role %q is not known: use one of %s", role, strings.Join(roles, ", "))
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

// Certifiers counts the keys that may certify, whatever their time.
func (t Trust) Certifiers() int {
	n := 0
	for _, k := range t.keys {
		if slices.Contains(k.Roles, RoleCertify) {
			n++
		}
	}
	return n
}

// refuses says why the key's signature of a certification that was issued at a time does not count; nil when it does.
func (k trustedKey) refuses(issued, now time.Time) *Refusal {
	who := fmt.Sprintf("the key %s of %q", ShortID(k.ID()), k.Name)
	switch {
	case !slices.Contains(k.Roles, RoleCertify):
		return refuse(keyRoleMissing, "%s may sign %s, and not certify", who, strings.Join(k.Roles, ", "))
	case !k.revoked.IsZero() && (!now.Before(k.revoked) || !issued.Before(k.revoked)):
		return refuse(keyRevoked, "%s is revoked since %s", who, k.RevokedSince)
	case !k.notBefore.IsZero() && (issued.Before(k.notBefore) || now.Before(k.notBefore)):
		return refuse(keyOutOfTime, "%s counts from %s on, and the certificate was issued at %s", who, k.NotBefore, issued.Format(time.RFC3339))
	case !k.notAfter.IsZero() && (!issued.Before(k.notAfter) || !now.Before(k.notAfter)):
		return refuse(keyOutOfTime, "%s counted until %s", who, k.NotAfter)
	}
	return nil
}
