package cli

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/pack/commands"
	"anvil/compiler/pack/emit/capability"
	"anvil/compiler/pack/emit/command"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
	"anvil/docs"
	"anvil/internal/corpus"
)

// narrowerCapability and narrowerCommands are what Go's types do not say of a contract, and of the catalogue of commands.
var (
	narrowerCapability = map[string]map[string]any{
		"CapabilityContract.schemaVersion": {"const": air.SchemaVersion}, "CapabilityContract.digest": {"pattern": aDigest}, "CapabilityContract.surface": {"pattern": aDigest},
		"CapabilityContract.operationIds": {"minItems": 1}, "CapabilityContract.operations": {"minItems": 1},
	}
	narrowerCommands = map[string]map[string]any{
		"Catalogue.schemaVersion": {"const": commands.SchemaVersion}, "Catalogue.signature": {"pattern": aDigest}, "Catalogue.exposed": {"pattern": aDigest},
		"Catalogue.exitCodes": {"propertyNames": map[string]any{"pattern": "^[0-6]$"}},
	}
)

// airWords are the words of the enumerations of AIR.
func airWords() map[reflect.Type][]any {
	all := map[reflect.Type][]any{}
	for kind, list := range air.Enumerations() {
		for _, w := range list {
			all[kind] = append(all[kind], w)
		}
	}
	return all
}

func capabilitySchema(t *testing.T) []byte {
	m := newSchemaMaker(t, narrowerCapability, airWords())
	s := m.object(reflect.TypeFor[air.CapabilityContract]())
	maps.Copy(s, map[string]any{
		"$id": fmt.Sprintf("urn:anvil:capability:%d", air.SchemaVersion), "title": "A file of capabilities/ in a pack, in YAML: the contract of a capability",
		"description": m.comment(reflect.TypeFor[air.CapabilityContract](), ""),
	})
	return m.text(s)
}

func commandsSchema(t *testing.T) []byte {
	m := newSchemaMaker(t, narrowerCommands, airWords())
	s := m.object(reflect.TypeFor[commands.Catalogue]())
	maps.Copy(s, map[string]any{
		"$id": fmt.Sprintf("urn:anvil:commands:%d", commands.SchemaVersion), "title": pack.CommandsFile + " of a pack: its commands, for other programs",
		"description": m.comment(reflect.TypeFor[commands.Catalogue](), ""),
	})
	return m.text(s)
}

// The schemas of contracts and of the catalogue are made from their types, and as fresh as those.
func TestSurfaceSchemasAreFresh(t *testing.T) {
	checkFresh(t, "capability.schema.json", capabilitySchema(t))
	checkFresh(t, "commands.schema.json", commandsSchema(t))
	for name, want := range map[string][]byte{"capability": docs.CapabilitySchema, "commands": docs.CommandsSchema} {
		if got := mustExit(t, 0, "schema", name); !bytes.Equal(got, want) {
			t.Errorf("anvil schema %s prints something else than docs/%s.schema.json", name, name)
		}
	}
}

// TestSurfacesFitTheirSchemas holds contracts and catalogues against the published schemas, and shows that those refuse what is none.
func TestSurfacesFitTheirSchemas(t *testing.T) {
	contracts := validatorOf(t, docs.CapabilitySchema, fmt.Sprintf("urn:anvil:capability:%d", air.SchemaVersion))
	catalogues := validatorOf(t, docs.CommandsSchema, fmt.Sprintf("urn:anvil:commands:%d", commands.SchemaVersion))
	held, refused := 0, 0
	check := func(t *testing.T, d air.Document) {
		files, err := capability.Build(d)
		if err != nil {
			t.Fatal(err)
		}
		for path, data := range files {
			text, _, err := yaml.ToJSON(data)
			if err == nil {
				err = fault(t, contracts, text)
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, change := range [][2]string{{`"highestRisk":"`, `"highestRisk":"dire `}, {`"waiting":`, `"waiting":"some","more":`}, {`"digest":"sha256:`, `"digest":"md5:`}} {
				changed := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1)
				if bytes.Equal(changed, text) || fault(t, contracts, changed) == nil {
					t.Errorf("%s: %s fits", path, change[1])
				}
				refused++
			}
			held++
		}
		made, err := command.Files(d)
		if err != nil {
			t.Fatal(err)
		}
		catalogue := made[pack.CommandsFile]
		if err := fault(t, catalogues, catalogue); err != nil {
			t.Errorf("%s: %v", pack.CommandsFile, err)
		}
		for _, change := range [][2]string{{`"launcher": "`, `"launcher": 7, "x": "`}, {`"exposed": "sha256`, `"exposed": "sha1`}, {`"0": "`, `"7": "`}} {
			if changed := bytes.Replace(catalogue, []byte(change[0]), []byte(change[1]), 1); bytes.Equal(changed, catalogue) || fault(t, catalogues, changed) == nil {
				t.Errorf("%s: %s fits", pack.CommandsFile, change[1])
			}
		}
	}
	check(t, refundsApproved(t))
	if held == 0 || refused == 0 {
		t.Fatal("there was no contract")
	}
	for _, name := range []string{"chrome-devtools", "notion", "postman"} { // of every kind of argument; all of the corpus takes half a minute
		c, _ := corpus.Read(t, name)
		captured, err := surface.New(c)
		if err != nil {
			t.Fatal(err)
		}
		check(t, approvedAll(adopt.Bridge(captured)))
	}
}
