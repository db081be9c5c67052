package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTableAgreesWithMetaschemas puts a number in the place of every keyword's schemas: the metaschema of a draft objects where the table says
// that the draft has the keyword, and nowhere else.
func TestTableAgreesWithMetaschemas(t *testing.T) {
	for uri, draft := range drafts {
		for name, keyword := range keywords {
			if !keyword.Form.Schemas() && keyword.Speech != Syntax || name == "$schema" || name == "id" && draft > Draft4 {
				continue
			}
			a := Analyse(parse(t, fmt.Sprintf(`{"$schema":"http://%s","%s":5}`, uri, name)))
			objects := len(a.Violations) > 0
			if keyword.Form.Schemas() && objects != keyword.In(draft) {
				t.Errorf("%s in %s: the metaschema objects %t, the table has it %t", name, draft, objects, keyword.In(draft))
			}
			if strings.HasSuffix(name, "Ref") && keyword.In(draft) && !objects {
				t.Errorf("%s in %s: the table has it, the metaschema does not", name, draft)
			}
		}
	}
}

// TestFormsHaveRoles holds the table together: what has schemas says what they are, and nothing else does.
func TestFormsHaveRoles(t *testing.T) {
	for name, k := range keywords {
		if k.Form.Schemas() != (k.Role != "") || k.Form.Data() && (k.Form.Schemas() || k.Speech != Words) {
			t.Errorf("%s: %+v", name, k)
		}
	}
	if k := Lookup("x-unknown"); k != (Keyword{}) {
		t.Errorf("%+v", k)
	}
}

func TestChildren(t *testing.T) {
	const schema = `{"items":[{},5],"$defs":{"a/b":true},"const":{"items":{}},"if":{},"dependencies":{"x":["y"],"z":{}},"contains":[{}]}`
	for _, tt := range []struct {
		draft Draft
		want  string
	}{
		{0, "/items/0 tuple item\n/$defs/a~1b definition\n/if condition\n/dependencies/z dependent schema"},
		{Draft4, "/items/0 tuple item\n/dependencies/z dependent schema"},
	} {
		var got []string
		Children(tt.draft, parse(t, schema), func(c Child) { got = append(got, c.Pointer()+" "+string(c.Role)) })
		if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.draft, diff)
		}
	}
	Children(0, nil, func(Child) { t.Error("a child of nothing") })
}
