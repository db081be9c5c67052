package gate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"anvil/compiler/air"
	"anvil/compiler/diag"
	"anvil/compiler/lookalike"
	"anvil/compiler/surface"
)

func checkConfusableName(v *survey) []diag.Finding {
	var findings []diag.Finding
	seen := newLooks()
	var last string
	latin := false
	for _, it := range v.named() {
		latin = latin || lookalike.IsASCII(it.Name) && len(lookalike.Scripts(it.Name)) > 0
	}
	for _, it := range v.named() {
		if it.Name == last { // items of one name stand together
			continue
		}
		last = it.Name
		if other, ok := seen.add(it.Name); ok {
			f := alike(it, other, fmt.Sprintf("tool names %s and %s look alike", spelled(other), spelled(it.Name)))
			findings = append(findings, f.Sealed(other))
			continue
		}
		if fault := odd(it.Name, latin); fault != "" {
			f := about(confusableName, it, "/name", fmt.Sprintf("tool name %s %s", spelled(it.Name), fault), it.Node.Get("name"))
			f.Hint = "have the server spell it in one script; until then, take it for another tool than the one it looks like"
			findings = append(findings, f.Sealed())
		}
	}
	return findings
}

// alike starts a finding about an item whose name looks like another's. Two names in ASCII are a matter of taste in names; anything else is made.
func alike(it surface.Item, other, message string) diag.Finding {
	f := about(confusableName, it, "/name", message, it.Node.Get("name"))
	f.Hint = "rename one of them in the server, and approve neither before it is clear which is which"
	if !lookalike.IsASCII(other) || !lookalike.IsASCII(it.Name) {
		f.Class = diag.Error
	}
	return f
}

// looks remembers names by what they look like.
type looks struct{ exact, loose map[string]string }

func newLooks() looks { return looks{map[string]string{}, map[string]string{}} }

// add returns the first name that was added and looks like this one, though it is not the same by case and separators alone.
func (l looks) add(name string) (other string, found bool) {
	return l.look(name, func(first string) bool { return air.CanonicalName(first) != air.CanonicalName(name) })
}

// addAny is add for names of several servers, where no other rule speaks of those that are the same but for case and separators.
func (l looks) addAny(name string) (other string, found bool) {
	return l.look(name, func(first string) bool { return first != name })
}

func (l looks) look(name string, apart func(first string) bool) (other string, found bool) {
	exact := lookalike.Skeleton(name)
	loose := lookalike.Skeleton(strings.ReplaceAll(separators.Replace(strings.ToLower(lookalike.Compatible(name))), "0", "o"))
	for _, first := range []string{remember(l.exact, exact, name), remember(l.loose, loose, name)} {
		if first != name && apart(first) {
			return first, true
		}
	}
	return "", false
}

var separators = strings.NewReplacer("-", "_", ".", "_", "/", "_", " ", "_", ":", "_")

// remember returns the name that the key had first.
func remember(names map[string]string, key, name string) string {
	if first, ok := names[key]; ok {
		return first
	}
	names[key] = name
	return name
}

// maxLook bounds how much of a name is looked at for its scripts, in bytes. No name that a client takes is longer.
const maxLook = 512

// odd says what is wrong with a name that stands alone: it is empty for what is written in one script, or in several by words. A word that
// reads as a Latin one is odd among Latin words, and in a name beside Latin ones.
func odd(name string, beside bool) string {
	if len(name) > maxLook {
		name = strings.ToValidUTF8(name[:maxLook], "")
	}
	if lookalike.IsASCII(name) || !utf8.ValidString(name) {
		return ""
	}
	if plain := lookalike.Compatible(name); lookalike.IsASCII(plain) {
		return fmt.Sprintf("is written with characters that only stand for ASCII ones; it reads as %q", plain)
	}
	scripts := lookalike.Scripts(name)
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		mixed := lookalike.Scripts(word)
		switch {
		case len(mixed) > 1 && !slices.Equal(mixed, []string{"CJK", "Latin"}):
			return fmt.Sprintf("mixes the letters of scripts in one word: %s", strings.Join(mixed, " and "))
		case !lookalike.IsASCII(word) && len(mixed) == 1 && mixed[0] != "Latin" && (beside || slices.Contains(scripts, "Latin")) && lookalike.IsASCII(lookalike.Skeleton(word)):
			return fmt.Sprintf("has a word in %s letters that reads as %q among words in Latin ones", mixed[0], lookalike.Skeleton(word))
		}
	}
	return ""
}
