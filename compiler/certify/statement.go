package certify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
)

// The types of what is signed. The predicate's is a name and no address; its last part is the major version, and any other is refused.
const (
	statementType   = "https://in-toto.io/Statement/v1"
	predicatePrefix = "urn:anvil:certification:"
	PredicateType   = predicatePrefix + "1"
)

// statement is an in-toto Statement v1 about a pack: the pack by its digest, then every file that the pack seals.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     canon.Raw  `json:"predicate"`
}

// resource is what a statement is about. Digests are hexadecimal, without the prefix that anvil gives them.
type resource struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

const sha256Name, sha256Prefix = "sha256", "sha256:"

// packName names the pack among the files. No file of a pack has a colon in its name.
func packName(id string) string { return "pack:" + id }

// Payload returns the bytes that are signed: the statement that the certification is true of the pack.
func Payload(c Certification, p *pack.Pack) ([]byte, error) {
	predicate, err := canon.EncodeCompact(c)
	if err != nil {
		return nil, fmt.Errorf("write the statement: %w", err)
	}
	s := statement{statementType, nil, PredicateType, predicate}
	subjects := subjectsOf(p)
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		s.Subject = append(s.Subject, resource{name, map[string]string{sha256Name: strings.TrimPrefix(subjects[name], sha256Prefix)}})
	}
	text, err := canon.EncodeCompact(s)
	if err != nil {
		return nil, fmt.Errorf("write the statement: %w", err)
	}
	return canon.Canonical(text)
}

// subjectsOf are the digests of the pack and of its files, by name.
func subjectsOf(p *pack.Pack) map[string]string {
	subjects := map[string]string{packName(p.Manifest.ID): p.Manifest.Digest}
	for _, a := range p.Manifest.Artifacts {
		subjects[a.Path] = a.Digest
	}
	return subjects
}

// signed is a statement that was read: what it certifies, and of what.
type signed struct {
	certification Certification
	predicate     canon.Raw
	subjects      map[string]string // digests as anvil writes them, by name
}

// decodeStatement reads what was signed.
func decodeStatement(payload []byte) (signed, *Refusal) {
	var s statement
	if err := strict(payload, &s); err != nil {
		return signed{}, refuse(statementMalformed, "the statement cannot be read: %v", err)
	}
	major, ours := strings.CutPrefix(s.PredicateType, predicatePrefix)
	switch {
	case s.Type != statementType:
		return signed{}, refuse(statementMalformed, "the statement is of type %q, which is not known; it is %s", s.Type, statementType)
	case !ours:
		return signed{}, refuse(predicateUnknown, "the statement says something of type %q, which is no certification of anvil's", s.PredicateType)
	case s.PredicateType != PredicateType:
		return signed{}, refuse(predicateUnknown, "the certification is of version %q, and this version of anvil reads 1; use a newer anvil", major)
	case len(s.Subject) == 0:
		return signed{}, refuse(subjectsMissing, "the statement is about nothing: it has no subject")
	}
	out := signed{predicate: s.Predicate, subjects: map[string]string{}}
	for _, r := range s.Subject {
		digest := sha256Prefix + r.Digest[sha256Name]
		if _, twice := out.subjects[r.Name]; twice || r.Name == "" || len(r.Digest) != 1 || !canon.IsDigest(digest) {
			return signed{}, refuse(statementMalformed, "the subject %q is given twice, or has no whole SHA-256 digest", r.Name)
		}
		out.subjects[r.Name] = digest
	}
	var err error
	if out.certification, err = Decode(s.Predicate); err != nil {
		return signed{}, refuse(statementMalformed, "the certification that was signed cannot be read: %v", err)
	}
	return out, nil
}

// Certified returns the certification that an envelope is over, whoever signed it: nothing of it is proven.
func Certified(e Envelope) (Certification, *Refusal) {
	s, refused := decodeStatement(e.payload)
	return s.certification, refused
}
