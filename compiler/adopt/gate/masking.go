package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/wording"
)

// veil takes secrets out of findings. Every rule quotes what it finds, and none of them knows what of that is secret: the veil is drawn over all of
// them at the end. Fingerprints are made before and stay.
type veil struct {
	known  *strings.Replacer   // of secrets that were found in the surface, in every spelling; nil for none
	begins map[string][]string // those by their first bytes, for texts that were cut short
}

// maxVeiled bounds how many secrets are looked for by their text. Of more than that those are hidden that have the format of an issuer.
const maxVeiled = 2000

// shownOfSecret is how much of a secret may stand in front of a cut, in bytes.
const shownOfSecret = 6

func newVeil(secrets map[string]bool) veil {
	var all []string
	for s := range secrets {
		all = append(all, s)
	}
	slices.Sort(all)
	all = all[:min(len(all), maxVeiled)]
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) }) // of two that begin alike the longer is meant
	w := veil{begins: map[string][]string{}}
	var pairs []string
	for _, s := range all {
		label := wording.Label(s)
		for _, spelling := range secretSpellings(s) {
			pairs = append(pairs, spelling, label)
			if len(spelling) > shownOfSecret {
				w.begins[spelling[:shownOfSecret]] = append(w.begins[spelling[:shownOfSecret]], spelling)
			}
		}
	}
	if len(pairs) > 0 {
		w.known = strings.NewReplacer(pairs...)
	}
	return w
}

// secretSpellings are a secret as it stands in a message, in JSON and in a pointer.
func secretSpellings(s string) []string {
	quoted, inJSON := strconv.QuoteToASCII(s), string(canon.Quote(s))
	all := []string{s, diag.Printable(s), quoted[1 : len(quoted)-1], inJSON[1 : len(inJSON)-1], strings.TrimPrefix(canon.Pointer(s), "/")}
	slices.Sort(all)
	return slices.Compact(all)
}

// over hides the secrets in each finding, in place.
func (w veil) over(findings []diag.Finding) {
	for i := range findings {
		f := &findings[i]
		for _, text := range []*string{&f.Subject, &f.Tool, &f.Pointer, &f.Message, &f.Hint} {
			*text = w.text(*text)
		}
		if f.Fix != nil {
			f.Fix = &diag.Fix{Alias: w.text(f.Fix.Alias), LeaveOut: w.texts(f.Fix.LeaveOut), Keep: w.texts(f.Fix.Keep)}
		}
		for _, value := range []*canon.Raw{&f.Before, &f.After, &f.Witness} {
			*value = w.value(*value)
		}
	}
}

func (w veil) texts(list []string) []string {
	var hidden []string
	for _, text := range list {
		hidden = append(hidden, w.text(text))
	}
	return hidden
}

func (w veil) text(text string) string {
	if w.known != nil {
		text = w.known.Replace(text)
		if strings.Contains(text, cut) {
			text = w.beforeCuts(text)
		}
	}
	return wording.MaskAll(text)
}

// cut ends a text that was shortened.
const cut = "…"

// beforeCuts hides what is left of a secret in front of a cut.
func (w veil) beforeCuts(text string) string {
	parts := strings.Split(text, cut)
	for i, part := range parts[:len(parts)-1] {
		for at := max(0, len(part)-256); at+shownOfSecret <= len(part); at++ {
			rest := part[at:]
			if slices.ContainsFunc(w.begins[rest[:shownOfSecret]], func(s string) bool { return strings.HasPrefix(s, rest) }) {
				parts[i] = part[:at+4]
				break
			}
		}
	}
	return strings.Join(parts, cut)
}

// value hides the secrets in a JSON value, however its text spells them.
func (w veil) value(raw canon.Raw) canon.Raw {
	if w.known == nil && strings.IndexByte(string(raw), '\\') < 0 && wording.MaskAll(string(raw)) == string(raw) {
		return raw
	}
	node, err := canon.Parse(raw)
	if err != nil {
		if text := w.text(string(raw)); text != string(raw) {
			return canon.Raw(canon.Quote(text))
		}
		return raw
	}
	if rest, changed := w.node(node); changed {
		return rest
	}
	return raw
}

// node returns the text of a value with its secrets hidden, and whether it is another than before.
func (w veil) node(n *canon.Node) (text []byte, changed bool) {
	if plain, ok := n.Str(); ok {
		if masked := w.text(plain); masked != plain {
			return canon.Quote(masked), true
		}
		return n.Raw, false
	}
	if n.IsArray() {
		var items [][]byte
		for _, item := range n.Items {
			one, other := w.node(item)
			items, changed = append(items, one), changed || other
		}
		return canon.List(items...), changed
	}
	if !n.IsObject() {
		return n.Raw, false
	}
	var b strings.Builder
	for i, m := range n.Members {
		one, other := w.node(m.Value)
		name := w.text(m.Name)
		changed = changed || other || name != m.Name
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", canon.Quote(name), one)
	}
	return []byte("{" + b.String() + "}"), changed
}
