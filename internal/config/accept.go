package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
)

// Acceptance is an entry of gate.accept or diff.accept as it is written: findings that somebody lets pass. One of the gate has a Rule and at most one of
// Tool and Item; without either it is about the server as a whole. One of a difference has its Fingerprint.
type Acceptance struct {
	Rule, Server string
	Fingerprint  string
	Tool         string // the tool's name
	Item         string // any other item, as kind/name: prompt/review
	At           string // a JSON pointer within the item or the server; everything below it is meant
	Reason       string
	Until        string // a day, such as 2027-01-31
	Place        string // file and line, for what is wrong with it
}

// acceptList is one of the lists of acceptances: its name, what an entry is, and the members of one.
type acceptList struct {
	name, form string
	keys       []string
}

// Of the members of an entry of gate.accept, those that name an item exclude each other.
var (
	gateAccept = acceptList{"gate.accept", "{rule, tool, at, reason, until}",
		[]string{"rule", "server", "tool", "prompt", "resource", "template", "item", "at", "reason", "until"}}
	diffAccept = acceptList{"diff.accept", "{fingerprint, server, reason, until}", []string{"fingerprint", "server", "reason", "until"}}
	itemKeys   = map[string]surface.Kind{"tool": surface.Tool, "prompt": surface.Prompt, "resource": surface.Resource, "template": surface.ResourceTemplate, "item": ""}
)

func (f *File) readAcceptances(of acceptList, list *canon.Node, at string, into *[]Acceptance) error {
	if !list.IsArray() {
		return f.problem(at, "%s must be a list of %s", of.name, of.form)
	}
	var problems []error
	for i, entry := range list.Items {
		below := at + canon.Pointer(strconv.Itoa(i))
		a, wrong := readAcceptance(of, entry, func(pointer, format string, args ...any) error { return f.problem(below+pointer, format, args...) })
		a.Place = f.place(below)
		problems = append(problems, wrong...)
		*into = append(*into, a)
	}
	return errors.Join(problems...)
}

// ParseAcceptance reads one entry of gate.accept from a line of YAML, in the form {rule: ..., prompt: ..., until: ..., reason: ...}.
func ParseAcceptance(text string) (Acceptance, error) {
	json, _, err := yaml.ToJSON([]byte(text))
	if err != nil {
		return Acceptance{}, err
	}
	entry, err := canon.Parse(json)
	if err != nil {
		return Acceptance{}, err
	}
	a, wrong := readAcceptance(gateAccept, entry, func(_, format string, args ...any) error { return fmt.Errorf(format, args...) })
	return a, errors.Join(wrong...)
}

// readAcceptance reads one entry; problem makes an error about a place within it.
func readAcceptance(of acceptList, entry *canon.Node, problem func(pointer, format string, args ...any) error) (a Acceptance, problems []error) {
	if !entry.IsObject() {
		return a, []error{problem("", "an entry of %s must be a map", of.name)}
	}
	given := map[string]string{}
	for _, m := range entry.Members {
		text, isText := m.Value.Str()
		switch at := canon.Pointer(m.Name); {
		case m.Name == "fingerprint" && of.has(m.Name) && !diag.IsFingerprint(text):
			problems = append(problems, problem(at, "fingerprint in %s must be the %d digits 0 to 9 and a to f that the report prints, in quotes, and %s is not",
				of.name, diag.FingerprintLength, diag.Shorten(string(m.Value.Raw), 80)))
		case !of.has(m.Name) || !isText:
			problems = append(problems, problem(at, "%q in %s must be one of %s, with a text", m.Name, of.name, strings.Join(of.keys, ", ")))
		case text == "" && m.Name != "reason" && m.Name != "at":
			problems = append(problems, problem(at, "%s in %s is empty; name one, or leave it out", m.Name, of.name))
		default:
			given[m.Name] = text
		}
	}
	if of.has("fingerprint") && entry.Get("fingerprint") == nil {
		problems = append(problems, problem("", "an entry of %s needs the fingerprint of the difference, as the report prints it", of.name))
	}
	a = Acceptance{Rule: given["rule"], Fingerprint: given["fingerprint"], Server: given["server"], At: given["at"], Reason: given["reason"], Until: given["until"]}
	if a.At != "" && !isPointer(a.At) {
		problems = append(problems, problem("/at", "at in gate.accept must be a JSON pointer, such as /description or /inputSchema/properties/limit, and %q is none", a.At))
	}
	if err := a.name(given, problem); err != nil {
		problems = append(problems, err)
	}
	return a, problems
}

func (l acceptList) has(key string) bool { return slices.Contains(l.keys, key) }

// name reads which item the entry is about.
func (a *Acceptance) name(given map[string]string, problem func(pointer, format string, args ...any) error) error {
	named := ""
	for _, key := range gateAccept.keys {
		kind, isItem := itemKeys[key]
		text, isGiven := given[key]
		if !isItem || !isGiven {
			continue
		}
		if named != "" {
			return problem(canon.Pointer(key), "an entry of gate.accept is about one thing: it has both %s and %s; make two entries of it", named, key)
		}
		named = key
		if key == "item" {
			word, name, cut := strings.Cut(text, "/")
			if kind = surface.Kind(word); !cut || name == "" || !slices.Contains(surface.Kinds, kind) {
				return problem("/item", "item in gate.accept must be kind/name with one of the kinds %s, and %q is not", kindWords(), text)
			}
			text = name
		}
		if kind == surface.Tool {
			a.Tool = text
		} else {
			a.Item = string(kind) + "/" + text
		}
	}
	return nil
}

func kindWords() string {
	words := make([]string, len(surface.Kinds))
	for i, kind := range surface.Kinds {
		words[i] = string(kind)
	}
	return strings.Join(words, ", ")
}

// isPointer reports a JSON pointer (RFC 6901) to a part of something.
func isPointer(text string) bool {
	if !strings.HasPrefix(text, "/") {
		return false
	}
	for rest := text; ; {
		_, behind, found := strings.Cut(rest, "~")
		if !found {
			return true
		}
		if !strings.HasPrefix(behind, "0") && !strings.HasPrefix(behind, "1") {
			return false
		}
		rest = behind
	}
}
