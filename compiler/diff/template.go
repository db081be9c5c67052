package diff

import (
	"slices"
	"strings"

	"anvil/internal/lazy"
)

// expression matches one expression of a URI template (RFC 6570): operator and variable list.
var expression = lazy.MustCompile(`\{([+#./;?&]?)([^{}]*)\}`)

// compareTemplates compares two URI templates: their literal text, their variables, and how far each variable's expansion reaches.
func compareTemplates(old, new string) *TemplateDelta {
	before, after := variables(old), variables(new)
	d := &TemplateDelta{Literal: literal(old) != literal(new)}
	for _, v := range after {
		i := slices.IndexFunc(before, func(w variable) bool { return w.name == v.name })
		switch {
		case i < 0:
			d.AddedVars = append(d.AddedVars, v.name)
		case v.reach > before[i].reach:
			d.Widened = append(d.Widened, v.name)
		}
	}
	for _, v := range before {
		if !slices.ContainsFunc(after, func(w variable) bool { return w.name == v.name }) {
			d.RemovedVars = append(d.RemovedVars, v.name)
		}
	}
	return d
}

type variable struct {
	name  string
	reach int // 0 one encoded value; 1 a path segment; 2 several; 3 anything, slashes included
}

func variables(template string) []variable {
	var list []variable
	for _, m := range expression.FindAllStringSubmatch(template, -1) {
		for spec := range strings.SplitSeq(m[2], ",") {
			name, exploded := strings.CutSuffix(spec, "*")
			name, _, _ = strings.Cut(name, ":")
			v := variable{name: name}
			switch m[1] {
			case "+", "#":
				v.reach = 3
			case "/":
				v.reach = 1
			}
			if exploded && v.reach < 2 {
				v.reach++
			}
			list = append(list, v)
		}
	}
	return list
}

// literal returns the text outside the expressions; a slash before an expression is left out, since {/x} brings its own.
func literal(template string) string {
	parts := expression.Split(template, -1)
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], "/")
	}
	return strings.Join(parts, "\x00")
}
