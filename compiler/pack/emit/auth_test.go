package emit_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
)

// How callers sign in stands in the document in every mode, is read back from it, and is in no signature: who adopts without the configuration has the
// same surface.
func TestAuthIsReadBack(t *testing.T) {
	auth := air.Auth{Type: air.AuthBearer, Carriers: []air.Carrier{{In: air.CarrierHeader, Name: "Authorization"}}, SecretSource: air.SecretEnv}
	for _, mode := range []pack.Mode{pack.Adopt, pack.Facade} {
		in := facadeInputs(t)
		in.Mode = mode
		if mode == pack.Adopt {
			in.Upstream = nil
		}
		plain := build(t, in)
		in.Auth = auth
		b := build(t, in)
		if diff := cmp.Diff(auth, b.Document.Service.Auth); diff != "" {
			t.Errorf("%s (-want +got)\n%s", mode, diff)
		}
		if plain.Document.Service.Auth.Type != air.AuthUnknown || !bytes.Equal(plain.Files[pack.SignatureFile], b.Files[pack.SignatureFile]) {
			t.Errorf("%s: what nobody said is %q, or the signature depends on it", mode, plain.Document.Service.Auth.Type)
		}
		p, err := pack.Open(write(t, b))
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := emit.InputsOf(p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(auth, again.Auth); diff != "" {
			t.Errorf("%s: read back (-want +got)\n%s", mode, diff)
		}
		if findings, err := emit.Recheck(p); err != nil || len(findings) > 0 {
			t.Errorf("%s: %v %+v", mode, err, findings)
		}
	}
}
