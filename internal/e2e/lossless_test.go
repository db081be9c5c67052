package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

// checkNothingLost finds every field of every item of the capture, and of the handshake, again in the snapshot file, and nothing beside.
func checkNothingLost(t *testing.T, c surface.Capture, file []byte) {
	t.Helper()
	snapshot := mustParse(t, string(file))
	for _, kind := range surface.Kinds {
		var sent, kept []string
		for _, raw := range c.Lists[kind] {
			sent = append(sent, leavesOf(t, raw))
		}
		for _, item := range snapshot.Get(kind.List()).Elements() {
			kept = append(kept, leavesOf(t, item.Raw))
		}
		slices.Sort(sent)
		slices.Sort(kept)
		if !slices.Equal(sent, kept) {
			t.Errorf("%s (-sent +kept)\n%s", kind.List(), cmp.Diff(sent, kept))
		}
	}
	for member, at := range map[string]string{"serverInfo": "server", "capabilities": "capabilities", "instructions": "instructions"} {
		sent, kept := mustParse(t, string(c.Initialize)).Get(member), snapshot.Get(at)
		if (sent == nil) != (kept == nil) || sent != nil && leavesOf(t, sent.Raw) != leavesOf(t, kept.Raw) {
			t.Errorf("%s of the handshake is not in the snapshot as sent", member)
		}
	}
}

// leavesOf lists what is in a JSON text, one value a line by its path, in an order of its own. It reads with another parser than anvil's,
// and compares numbers as exact fractions, so that both would have to err alike.
func leavesOf(t *testing.T, text []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var leaves []string
	err := walkLeaves(d, "", &leaves)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	slices.Sort(leaves)
	return strings.Join(leaves, "\n")
}

func walkLeaves(d *json.Decoder, at string, leaves *[]string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		*leaves = append(*leaves, at+" "+v.String())
		for i := 0; d.More(); i++ {
			below := at + "/" + strconv.Itoa(i)
			if v == '{' {
				name, err := d.Token()
				if err != nil {
					return err
				}
				below = at + canon.Pointer(fmt.Sprint(name))
			}
			if err := walkLeaves(d, below, leaves); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	case json.Number:
		exact, ok := new(big.Rat).SetString(v.String())
		if !ok {
			return fmt.Errorf("number %s at %s cannot be compared", v, at)
		}
		*leaves = append(*leaves, at+" number "+exact.RatString())
	default:
		*leaves = append(*leaves, fmt.Sprintf("%s %T %q", at, v, fmt.Sprint(v)))
	}
	return nil
}

// TestLeavesDiffer keeps the comparison honest: what it must tell apart, and what is one value in two spellings.
func TestLeavesDiffer(t *testing.T) {
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"key order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"number spelling", `[1.0,1e2]`, `[1,100]`, true},
		{"escapes", `"\u00e9"`, `"é"`, true},
		{"beyond a float64", `9007199254740993`, `9007199254740992`, false},
		{"fine fraction", `0.1000000000000000055511151231257827`, `0.1`, false},
		{"number and text", `1`, `"1"`, false},
		{"empty object and array", `{"a":{}}`, `{"a":[]}`, false},
		{"item order", `[1,2]`, `[2,1]`, false},
		{"member lost", `{"a":1,"b":null}`, `{"a":1}`, false},
		{"case of a name", `{"Name":1}`, `{"name":1}`, false},
		{"twice", `{"a":1,"a":1}`, `{"a":1}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if same := leavesOf(t, []byte(tt.a)) == leavesOf(t, []byte(tt.b)); same != tt.same {
				t.Errorf("same: %v, want %v", same, tt.same)
			}
		})
	}
}
