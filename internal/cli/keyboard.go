package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode"
)

// keyboard reads what a person types, a key at a time. Where the terminal gives whole lines only, the first character of a line is the key.
type keyboard struct {
	ctx   context.Context
	out   io.Writer
	runes chan rune // closed when there is no more to read
	lines bool      // the terminal gives whole lines, and shows them by itself
}

// errHungUp says that nobody is at the keyboard any more.
var errHungUp = errors.New("the terminal is gone; nothing was written")

// newKeyboard returns the keyboard of the shell's terminal, and what gives the terminal back as it was.
func (sh *shell) newKeyboard() (*keyboard, func()) {
	restore, single := singleKeys(sh.in)
	if !single {
		restore = func() {}
	}
	k := &keyboard{ctx: sh.ctx, out: sh.out, runes: make(chan rune), lines: !single}
	go k.read(sh.in)
	return k, restore
}

func (k *keyboard) read(from io.Reader) {
	defer close(k.runes)
	for in := bufio.NewReader(from); ; {
		r, _, err := in.ReadRune()
		if err != nil {
			return
		}
		if r == escapeKey && in.Buffered() > 0 { // an arrow or the like, which comes at once
			skipSequence(in)
			continue
		}
		select {
		case k.runes <- r:
		case <-k.ctx.Done():
			return
		}
	}
}

const (
	escapeKey = '\x1b'
	eraseKey  = '\x7f'
	backKey   = '\b'
	killKey   = '\x15' // Ctrl-U
	endKey    = '\x04' // Ctrl-D
)

// skipSequence reads past the rest of an escape sequence (ECMA-48, 5.4): "[", parameters, and a final byte from "@" on.
func skipSequence(in *bufio.Reader) {
	r, _, err := in.ReadRune()
	if err != nil || r != '[' && r != 'O' {
		return
	}
	for in.Buffered() > 0 {
		if r, _, err := in.ReadRune(); err != nil || r >= '@' {
			return
		}
	}
}

func (k *keyboard) next() (rune, error) {
	select {
	case r, open := <-k.runes:
		if !open {
			return 0, errHungUp
		}
		return r, nil
	case <-k.ctx.Done():
		return 0, k.ctx.Err()
	}
}

// key returns the next key that is no line's end.
func (k *keyboard) key() (rune, error) {
	for {
		r, err := k.next()
		if err != nil {
			return 0, err
		}
		if r == '\n' || r == '\r' || r == ' ' {
			continue
		}
		if !k.lines {
			return r, nil
		}
		for end := r; end != '\n' && err == nil; {
			end, err = k.next()
		}
		return r, err
	}
}

// line asks for a line of text. ok is false when the person gave it up with Escape.
func (k *keyboard) line(prompt string) (text string, ok bool, err error) {
	fmt.Fprint(k.out, prompt)
	var typed []rune
	for {
		r, err := k.next()
		if err != nil {
			return "", false, err
		}
		switch {
		case r == '\n' || r == '\r':
			k.echo("\n")
			return string(typed), true, nil
		case r == escapeKey || r == endKey:
			k.echo("\n")
			return "", false, nil
		case r == eraseKey || r == backKey:
			if len(typed) > 0 {
				typed = typed[:len(typed)-1]
				k.echo("\b \b")
			}
		case r == killKey:
			for ; len(typed) > 0; typed = typed[:len(typed)-1] {
				k.echo("\b \b")
			}
		case unicode.IsPrint(r):
			typed = append(typed, r)
			k.echo(string(r))
		}
	}
}

func (k *keyboard) echo(text string) {
	if !k.lines {
		fmt.Fprint(k.out, text)
	}
}
