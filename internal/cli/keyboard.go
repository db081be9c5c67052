package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode"
)

// keyboard reads what a person types, a key at a time. Where the terminal gives whole lines only, the first character of a line is the key.
type keyboard struct {
	ctx   context.Context
	in    io.Reader
	out   io.Writer
	lines bool // the terminal gives whole lines, and shows them by itself

	mu    sync.Mutex
	typed []rune        // and not taken yet
	ended bool          // there is no more to read
	more  chan struct{} // tells that one of the two changed
}

// errHungUp says that nobody is at the keyboard any more.
var errHungUp = errors.New("the terminal is gone; nothing was written")

// newKeyboard returns the keyboard of the shell's terminal, and what gives the terminal back as it was.
func (sh *shell) newKeyboard() (*keyboard, func()) {
	restore, single := singleKeys(sh.in)
	if !single {
		restore = func() {}
	}
	k := &keyboard{ctx: sh.ctx, in: sh.in, out: sh.out, lines: !single, more: make(chan struct{}, 1)}
	go k.read()
	return k, restore
}

// mostTyped bounds what is kept of keys that nobody asked for.
const mostTyped = 1 << 16

func (k *keyboard) read() {
	for in := bufio.NewReader(k.in); ; {
		r, _, err := in.ReadRune()
		if err == nil && r == escapeKey && in.Buffered() > 0 { // an arrow or the like, which comes at once
			skipSequence(in)
			continue
		}
		k.mu.Lock()
		if k.ended = err != nil; !k.ended && len(k.typed) < mostTyped {
			k.typed = append(k.typed, r)
		}
		k.mu.Unlock()
		select {
		case k.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// forget drops what was typed before a question, where the terminal lets go of it.
func (k *keyboard) forget() {
	if !forgetKeys(k.in) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.typed = nil
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
	for {
		if r, there, ended := k.take(); there {
			return r, nil
		} else if ended {
			return 0, errHungUp
		}
		select {
		case <-k.more:
		case <-k.ctx.Done():
			return 0, k.ctx.Err()
		}
	}
}

func (k *keyboard) take() (r rune, there, ended bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.typed) == 0 {
		return 0, false, k.ended
	}
	r = k.typed[0]
	k.typed = k.typed[1:]
	return r, true, false
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
