package air

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

func TestParams(t *testing.T) {
	raws := func(texts ...string) (all []canon.Raw) {
		for _, text := range texts {
			all = append(all, canon.Raw(text))
		}
		return all
	}
	tests := []struct {
		name, schema string
		want         Param
	}{
		{"text", `{"type":"string","description":"Who.","format":"email","default":"a@b"}`,
			Param{Type: ParamString, Description: "Who.", Format: "email", Default: canon.Raw(`"a@b"`)}},
		{"whole number", `{"type":"integer"}`, Param{Type: ParamInteger}},
		{"number or whole number", `{"type":["integer","number"]}`, Param{Type: ParamNumber}},
		{"nullable", `{"type":["string","null"]}`, Param{Type: ParamString, Nullable: true}},
		{"nullable by composition", `{"anyOf":[{"type":"boolean"},{"type":"null"}]}`, Param{Type: ParamBoolean, Nullable: true}},
		{"listed", `{"enum":["b","a"]}`, Param{Type: ParamString, Enum: raws(`"b"`, `"a"`)}},
		{"one value", `{"const":7}`, Param{Type: ParamInteger, Enum: raws(`7`)}},
		{"listed by branches", `{"oneOf":[{"const":"a"},{"const":"b"},{"type":"null"}]}`, Param{Type: ParamString, Nullable: true, Enum: raws(`"a"`, `"b"`)}},
		{"one branch is open", `{"anyOf":[{"const":"a"},{"type":"string"}]}`, Param{Type: ParamString}},
		{"listed values of two types", `{"enum":["a",1]}`, Param{Type: ParamJSON}},
		{"listed by reference", `{"$ref":"#/$defs/colour"}`, Param{Type: ParamString, Enum: raws(`"red"`)}},
		{"list", `{"type":"array","items":{"type":"integer"}}`, Param{Type: ParamInteger, Repeated: true}},
		{"list of listed", `{"type":"array","items":{"$ref":"#/$defs/colour"}}`, Param{Type: ParamString, Repeated: true, Enum: raws(`"red"`)}},
		{"tuple", `{"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"string"}}`, Param{Type: ParamJSON}},
		{"list of objects", `{"type":"array","items":{"type":"object"}}`, Param{Type: ParamJSON}},
		{"object", `{"type":"object"}`, Param{Type: ParamJSON}},
		{"text or list", `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, Param{Type: ParamJSON}},
		{"anything", `{}`, Param{Type: ParamJSON}},
		{"true", `true`, Param{Type: ParamJSON}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Params(canon.Raw(`{"properties":{"p":` + tt.schema + `},"$defs":{"colour":{"enum":["red"]}}}`))
			tt.want.Name, tt.want.Flag = "p", "p"
			if diff := cmp.Diff([]Param{tt.want}, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Flags are distinct, and none hides a flag that every command has.
func TestFlags(t *testing.T) {
	names := []string{"maxResults", "max_results", "max-results", "help", "json", "Json", "查询", "名", "", "-", "--x", "a b", "$top", "\u202ex"}
	var properties []string
	for _, name := range names {
		properties = append(properties, string(canon.Quote(name))+`:{"type":"string"}`)
	}
	seen := map[string]string{}
	for _, flag := range ReservedFlags {
		seen[flag] = "reserved"
	}
	params := Params(canon.Raw(`{"properties":{` + strings.Join(properties, ",") + `}}`))
	if len(params) != len(names) {
		t.Errorf("%d parameters of %d", len(params), len(names))
	}
	for _, p := range params {
		if other, taken := seen[p.Flag]; taken {
			t.Errorf("flag %s is of %q and of %q", p.Flag, other, p.Name)
		}
		seen[p.Flag] = p.Name
		if strings.Trim(p.Flag, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || p.Flag == "" || p.Flag[0] == '-' {
			t.Errorf("flag %q of %q is no flag", p.Flag, p.Name)
		}
	}
}

func TestParamsAreBounded(t *testing.T) {
	var properties strings.Builder
	for i := range 10_000 {
		if i > 0 {
			properties.WriteByte(',')
		}
		properties.WriteString(`"p` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + ShortHash(string(rune(i))) + `":{"type":"string"}`)
	}
	if got := len(Params(canon.Raw(`{"properties":{` + properties.String() + `}}`))); got != maxParams {
		t.Errorf("%d parameters", got)
	}
}

// A name that is its flag already has it, wherever it stands among others that would be shortened to it.
func TestExactNamesKeepTheirFlag(t *testing.T) {
	tests := []struct {
		schema string
		want   map[string]string
	}{
		{`{"properties":{"ID":{},"id":{}}}`, map[string]string{"id": "id", "ID": hashed("id", "ID", '-', true, maxCanonical)}},
		{`{"required":["maxResults"],"properties":{"maxResults":{},"max-results":{}}}`, map[string]string{"max-results": "max-results", "maxResults": hashed("max-results", "maxResults", '-', true, maxCanonical)}},
		{`{"properties":{"format":{},"arg-format":{}}}`, map[string]string{"arg-format": "arg-format", "format": hashed("arg-format", "format", '-', true, maxCanonical)}},
		{`{"properties":{"help":{},"HELP":{}}}`, map[string]string{"HELP": "arg-help", "help": hashed("arg-help", "help", '-', true, maxCanonical)}},
	}
	for _, tt := range tests {
		got := map[string]string{}
		for _, p := range Params(canon.Raw(tt.schema)) {
			got[p.Name] = p.Flag
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.schema, diff)
		}
	}
}
