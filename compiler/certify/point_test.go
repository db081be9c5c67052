package certify

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"testing"
)

// lowOrder are all points whose order divides 8, in every spelling that the standard library takes (Chalkias, Garillot, Nikolaenko: Taming the many
// EdDSAs, 2020, table 1).
var lowOrder = []string{
	"0100000000000000000000000000000000000000000000000000000000000000",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"0100000000000000000000000000000000000000000000000000000000000080",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

func TestPointsOfLowOrderAreRefused(t *testing.T) {
	for i, text := range lowOrder {
		point, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		err = checkPoint(point)
		if err == nil {
			t.Errorf("%s is taken", text)
		}
		if canonical := i < 8; canonical != errors.Is(err, errLowOrder) {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := ParsePublicKey(spkiOf(t, point)); err == nil {
			t.Errorf("a key of %s is taken", text)
		}
	}
}

// Why they are: with the neutral point for a key, one signature fits every message, and the standard library says that it verifies.
func TestAKeyOfLowOrderSignsEverything(t *testing.T) {
	point, err := hex.DecodeString(lowOrder[0])
	if err != nil {
		t.Fatal(err)
	}
	forged := append(bytes.Clone(point), make([]byte, 32)...)
	if !ed25519.Verify(point, []byte("whatever"), forged) {
		t.Fatal("the standard library refuses it by now: checkPoint may go")
	}
	if (PublicKey{key: point}).verifies([]byte("whatever"), forged) {
		t.Error("it verifies")
	}
}

func TestWhatIsNoPoint(t *testing.T) {
	none := 0
	for b := range byte(64) {
		point := make([]byte, 32)
		point[0], point[7] = b, 3
		if checkPoint(point) == nil {
			continue
		}
		none++
		// The standard library agrees: nothing verifies with it. What it would take is of a point that it can read.
		if ed25519.Verify(point, nil, make([]byte, 64)) {
			t.Errorf("%x", point)
		}
	}
	if none < 16 || none > 48 { // about half of all encodings are none
		t.Errorf("%d of 64 are no points", none)
	}
	if checkPoint(make([]byte, 31)) == nil || checkPoint(nil) == nil {
		t.Error("a short one is taken")
	}
}

func TestKeysThatWereMadeAreTaken(t *testing.T) {
	for b := range byte(40) {
		k, err := NewKey(bytes.NewReader(bytes.Repeat([]byte{b}, 64)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := k.PEM()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParsePrivateKey(text)
		if err != nil || again.Public().ID() != k.Public().ID() || len(k.Public().ID()) != 64 {
			t.Fatalf("%v, %s", err, again.Public().ID())
		}
		public, err := ParsePublicKey(k.Public().PEM())
		if err != nil || public.ID() != k.Public().ID() {
			t.Errorf("%v", err)
		}
	}
}

func spkiOf(t *testing.T, point []byte) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(point))
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: der})
}
