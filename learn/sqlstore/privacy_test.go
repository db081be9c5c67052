package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anvil/learn"
	"anvil/learn/storetest"
)

// planted are credentials as they are issued; none is real.
var planted = []string{
	"ghp_" + strings.Repeat("a1B2", 9), "AKIA" + "IOSFODNN7EXAMPLQ", "xoxb-" + "483920175634-7392018465721-" + strings.Repeat("aB3d", 6),
	"sk-ant-api03-" + strings.Repeat("Ab1_", 23) + "AA",
}

// Assertion 55: what a recorder writes of calls that are full of credentials is looked through byte by byte.
func TestCredentialsNeverReachTheDatabase(t *testing.T) {
	for _, capture := range []bool{false, true} {
		each(t, func(t *testing.T, url string) {
			s := opened(t, url)
			r := learn.NewRecorder(s, learn.RecorderOptions{Capture: capture})
			for n, secret := range planted {
				o := learn.Observation{Event: storetest.Event(n, func(e *learn.Event) {
					e.ID, e.Session, e.Workflow, e.Parent, e.Client, e.Model, e.Decoding, e.Resolver = "id-"+secret, secret, secret, secret, secret, secret, secret, secret
					e.Tool, e.Outcome, e.Code = learn.Tool{Server: "srv-" + secret, Name: "tool_" + secret, Contract: secret}, learn.Failed, secret
				}), Arguments: fmt.Appendf(nil, `{"marker":"harmless","token":%q,%q:1}`, secret, secret), Result: fmt.Appendf(nil, `{"error":"no access with %s"}`, secret)}
				if !r.Observe(o) {
					t.Error("dropped")
				}
				if err := s.Annotate(t.Context(), "srv-"+secret, "tool_"+secret, learn.Annotation{Risk: "high", Owner: "team " + secret, Description: "call with " + secret, Tags: []string{"pci", secret}}); err != nil {
					t.Error(err)
				}
				if _, err := s.Import(t.Context(), "x", learn.Tool{Name: secret}, []learn.Cell{{Window: learn.All, Last: noon(), Invocations: 1, Attempts: 1, Failures: 1, Codes: map[string]int64{secret: 1}, Dims: learn.Dimensions{Model: secret}}}); err != nil {
					t.Error(err)
				}
			}
			if err := r.Close(t.Context()); err != nil || r.Counts().Kept != int64(len(planted)) {
				t.Fatal(r.Counts(), err)
			}
			for n, secret := range planted { // it is found by the name it came with
				found, err := s.Find(t.Context(), "srv-"+secret, "tool_"+secret)
				if err != nil || found.Annotation.Risk != "high" || found.Cell(learn.All, learn.Dimensions{}).Failures != 1 {
					t.Errorf("%d: %v, %v", n, found.Tool, err)
				}
			}
			text := everything(t, s, url)
			if bytes.Contains(text, []byte("harmless")) != capture {
				t.Errorf("capture %v, and the payload is %v in %d bytes", capture, !capture, len(text))
			}
			for n, secret := range planted {
				if bytes.Contains(text, []byte(secret)) {
					t.Errorf("capture %v: credential %d is in the database", capture, n)
				}
			}
		})
	}
}

// everything is the bytes of all files of a SQLite database while it is open, its log too, or all rows of all tables of a PostgreSQL database.
func everything(t *testing.T, s *Store, url string) []byte {
	t.Helper()
	var text []byte
	if !s.dialect.numbered {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(strings.TrimPrefix(url, "sqlite:")), "*"))
		if err != nil || len(files) != 3 {
			t.Fatal(files, err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, b...)
		}
		return text
	}
	err := s.read(context.Background(), func(x *tx) error {
		tables, err := x.Tables()
		for _, table := range tables {
			err = errors.Join(err, x.each(scanned(func(row string) { text = append(text, row...) }), `SELECT r::text FROM `+table+` r`))
			// Blobs are written in hexadecimal; their ids are text within.
			if table == "cell" {
				err = errors.Join(err, x.each(scanned(func(b []byte) { text = append(text, b...) }), `SELECT recent || earliest FROM cell`))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
