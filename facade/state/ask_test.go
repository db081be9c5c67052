package state

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anvil/internal/sqldb"
)

var call = Binding{Operation: "desk.pay", Contract: "sha256:c", Arguments: "sha256:a", Caller: "ada", Session: "s1"}

const shown = `{"name":"pay","arguments":{"to":"mallory"}}`

func asked(t *testing.T, s *Store, q Question) Asked {
	t.Helper()
	if q.Binding == (Binding{}) {
		q.Binding = call
	}
	q.Shown = cmp.Or(q.Shown, shown)
	if q.Expires.IsZero() {
		q.Expires = s.options.Now().Add(10 * time.Minute)
	}
	a, err := s.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func decided(t *testing.T, s *Store, id string, yes bool) {
	t.Helper()
	if _, err := s.Decide(t.Context(), id, yes, "bob", "it is due"); err != nil {
		t.Fatal(err)
	}
}

func TestAsks(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		facade, person, c := both(t, where)
		a := asked(t, facade, Question{})
		if len(a.Token) < 26 || !strings.HasPrefix(a.ID, AskPrefix) || strings.Contains(a.Token, strings.TrimPrefix(a.ID, AskPrefix)) {
			t.Errorf("%+v", a)
		}
		other := asked(t, facade, Question{})
		if other.Token == a.Token || other.ID == a.ID {
			t.Errorf("%+v is %+v", a, other)
		}
		list, err := person.Approvals(t.Context(), false)
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		want := Approval{ID: a.ID, Binding: call, Shown: shown, Asked: noon, Expires: noon.Add(10 * time.Minute), State: Pending}
		if got, err := person.Approval(t.Context(), strings.ToUpper(a.ID)); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
		if err := facade.Redeem(t.Context(), a.Token, call); !errors.Is(err, ErrUndecided) {
			t.Errorf("%v", err)
		}
		c.add(time.Minute)
		decided(t, person, a.ID, true)
		want.State, want.By, want.Reason, want.Decided, want.Shown = Approved, "bob", "it is due", noon.Add(time.Minute), ""
		if got, err := person.Approval(t.Context(), a.ID); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
		for range 2 {
			var before *DecidedError
			if _, err := person.Decide(t.Context(), a.ID, false, "eve", ""); !errors.As(err, &before) || before.State != Approved || before.By != "bob" {
				t.Errorf("%v", err)
			}
		}
		done(t, facade.Redeem(t.Context(), a.Token, call))
		if err := facade.Redeem(t.Context(), a.Token, call); !errors.Is(err, ErrReplayed) {
			t.Errorf("%v", err)
		}
		var before *DecidedError
		if _, err := person.Decide(t.Context(), a.ID, false, "eve", ""); !errors.As(err, &before) || before.State != Used {
			t.Errorf("%v", err)
		}
	})
}

// TestANo: it is one also once the time is over, and no failure of anything.
func TestANo(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		facade, person, c := both(t, where)
		a := asked(t, facade, Question{})
		c.add(time.Minute)
		decided(t, person, a.ID, false)
		for range 2 {
			var refused *RefusedError
			if err := facade.Redeem(t.Context(), a.Token, call); !errors.As(err, &refused) || refused.By != "bob" || refused.Reason != "it is due" || !refused.At.Equal(noon.Add(time.Minute)) {
				t.Errorf("%v", err)
			}
			c.add(time.Hour)
		}
		if list, err := person.Approvals(t.Context(), false); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
		if list, err := person.Approvals(t.Context(), true); err != nil || len(list) != 1 {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// TestTokensAreForOneCall: each part counts, one that looks like another in the database as well, and a try uses nothing up.
func TestTokensAreForOneCall(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := opened(t, where, &clock{now: noon})
		odd := call
		odd.Caller = "ada\xff"
		for _, b := range []Binding{call, odd} {
			a := asked(t, s, Question{Binding: b})
			decided(t, s, a.ID, true)
			for part, change := range map[string]func(*Binding){
				"operation": func(b *Binding) { b.Operation = "desk.refund" }, "contract": func(b *Binding) { b.Contract = "sha256:d" },
				"arguments": func(b *Binding) { b.Arguments = "sha256:b" }, "session": func(b *Binding) { b.Session = "" },
				"caller": func(b *Binding) {
					b.Caller = strings.ToValidUTF8(b.Caller, "\uFFFD") + map[bool]string{true: "x"}[b.Caller == "ada"]
				},
			} {
				changed := b
				change(&changed)
				var altered *AlteredError
				if err := s.Redeem(t.Context(), a.Token, changed); !errors.As(err, &altered) || altered.Part != part {
					t.Errorf("another %s: %v", part, err)
				}
			}
			done(t, s.Redeem(t.Context(), a.Token, b))
		}
		for _, token := range []string{"", "aaaaaaaaaaaaaaaaaaaaaaaaaa", "\x00\xff"} {
			if err := s.Redeem(t.Context(), token, call); !errors.Is(err, ErrUnknownToken) {
				t.Errorf("%q: %v", token, err)
			}
		}
		if _, err := s.Decide(t.Context(), "ask-aaaaaaaa", true, "bob", ""); !errors.Is(err, ErrNoAsk) {
			t.Errorf("%v", err)
		}
	})
}

func TestExpiry(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s, _, c := both(t, where)
		pending, approved := asked(t, s, Question{}), asked(t, s, Question{})
		decided(t, s, approved.ID, true)
		c.add(10 * time.Minute)
		if _, err := s.Decide(t.Context(), pending.ID, true, "bob", ""); !errors.Is(err, ErrExpired) {
			t.Errorf("%v", err)
		}
		for _, a := range []Asked{pending, approved} {
			if err := s.Redeem(t.Context(), a.Token, call); !errors.Is(err, ErrExpired) {
				t.Errorf("%v", err)
			}
			if got, err := s.Approval(t.Context(), a.ID); err != nil || got.State != Expired || got.Shown != "" {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if list, err := s.Approvals(t.Context(), false); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
		if _, err := s.Ask(t.Context(), Question{Binding: call, Expires: c.Now()}); !errors.Is(err, ErrExpired) {
			t.Errorf("%v", err)
		}
		c.add(7 * 24 * time.Hour)
		done(t, s.Sweep(t.Context()))
		if err := s.Redeem(t.Context(), pending.Token, call); !errors.Is(err, ErrUnknownToken) {
			t.Errorf("%v", err)
		}
	})
}

// TestHolders: where nobody need decide, the token alone is a yes, and a person's no is one all the same.
func TestHolders(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := opened(t, where, &clock{now: noon})
		a, b := asked(t, s, Question{Holder: true}), asked(t, s, Question{Holder: true})
		done(t, s.Redeem(t.Context(), a.Token, call))
		if err := s.Redeem(t.Context(), a.Token, call); !errors.Is(err, ErrReplayed) {
			t.Errorf("%v", err)
		}
		decided(t, s, b.ID, false)
		var refused *RefusedError
		if err := s.Redeem(t.Context(), b.Token, call); !errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
	})
}

// TestAsksAreBounded: one caller cannot make people read without end, nor keep others from asking.
func TestAsksAreBounded(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		c := &clock{now: noon}
		s := opened(t, where, c)
		s.options.Pending = 3
		var first Asked
		for range 3 {
			first = asked(t, s, Question{})
		}
		if _, err := s.Ask(t.Context(), Question{Binding: call, Expires: noon.Add(time.Hour)}); !errors.Is(err, ErrTooMany) {
			t.Errorf("%v", err)
		}
		other := call
		other.Caller = "bob"
		asked(t, s, Question{Binding: other})
		decided(t, s, first.ID, false)
		asked(t, s, Question{})
		if _, err := s.Ask(t.Context(), Question{Binding: other, Expires: noon.Add(time.Hour), Shown: strings.Repeat("x", MaxShown+1)}); !errors.Is(err, ErrTooLong) {
			t.Errorf("%v", err)
		}
		if _, err := s.Ask(t.Context(), Question{Binding: Binding{Operation: "x"}, Expires: noon.Add(time.Hour)}); err == nil {
			t.Error("a call without arguments' digest was asked about")
		}
	})
}

// TestNoTokenAndNothingShownIsKept looks at all bytes of the database: a token never is in it, and what was shown is gone once it is decided or swept.
func TestNoTokenAndNothingShownIsKept(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		c := &clock{now: noon}
		s, err := Open(t.Context(), where, Options{Now: c.Now})
		done(t, err)
		word := "cafe" + "babe-marker"
		question := Question{Shown: `{"secret":"` + word + `"}`}
		yes, no, never := asked(t, s, question), asked(t, s, question), asked(t, s, question)
		if !bytes.Contains(everything(t, s, where), []byte(word)) {
			t.Fatal("the test does not see what is shown")
		}
		decided(t, s, yes.ID, true)
		decided(t, s, no.ID, false)
		done(t, s.Redeem(t.Context(), yes.Token, call))
		c.add(10 * time.Minute)
		done(t, s.Sweep(t.Context()))
		text := everything(t, s, where)
		if !sqldb.IsPostgres(where) {
			done(t, s.Close()) // the log is gone then, and what it held
			if text, err = os.ReadFile(filepath.Join(where, File)); err != nil {
				t.Fatal(err)
			}
		} else {
			done(t, s.Close())
		}
		for _, secret := range []string{word, yes.Token, no.Token, never.Token} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s is in the database", secret)
			}
		}
	})
}

// everything is the bytes of all files of a SQLite database while it is open, or all rows of the questions of a PostgreSQL database.
func everything(t *testing.T, s *Store, where string) (text []byte) {
	t.Helper()
	if sqldb.IsPostgres(where) {
		var rows string
		if _, err := s.db.Row(context.Background(), []any{&rows}, `SELECT string_agg(a::text, ' ') FROM ask a`); err != nil {
			t.Fatal(err)
		}
		return []byte(rows)
	}
	files, err := filepath.Glob(filepath.Join(where, "*"))
	for _, name := range files {
		b, failed := os.ReadFile(name)
		text, err = append(text, b...), errors.Join(err, failed)
	}
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	return text
}
