package diag

// painter colours the words of a report that a reader looks for first. Its zero value leaves them plain.
type painter bool

const plain painter = false

// The colours are those of ANSI's standard palette, which follows what the reader has set for the terminal.
var colours = map[Class]string{Error: "1;31", Breaking: "1;31", Risky: "33", Warning: "33", Safe: "32", Info: "32"}

func (p painter) class(c Class, text string) string { return p.paint(colours[c], text) }

func (p painter) security(text string) string { return p.paint("1;35", text) }

func (p painter) heading(text string) string { return p.paint("1", text) }

func (p painter) paint(colour, text string) string {
	if !p || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
