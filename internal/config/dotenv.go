package config

import (
	"errors"
	"fmt"
	"strings"

	"anvil/internal/atomicfile"
	"anvil/internal/lazy"
)

var dotenvLine = lazy.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(.*)$`)

// readDotenv reads a file of NAME=value lines: blank lines and # comments between them, "export" before a name,
// 'literal' values, "values" with the escapes \n \r \t \" \\ \$, and bare values up to " #". The last of two equal names
// wins. Values are not expanded. Errors name the line and never what it says.
func readDotenv(path string) (map[string]string, error) {
	src, err := atomicfile.ReadFile(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read variables: %w", err)
	}
	values := map[string]string{}
	for i, line := range strings.Split(strings.TrimPrefix(string(src), "\uFEFF"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := dotenvLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%s:%d: expected NAME=value", path, i+1)
		}
		value, err := dotenvValue(m[2])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s %w", path, i+1, m[1], err)
		}
		values[m[1]] = value
	}
	return values, nil
}

func dotenvValue(text string) (string, error) {
	if text == "" || text[0] == '#' {
		return "", nil
	}
	switch text[0] {
	case '\'':
		value, rest, closed := strings.Cut(text[1:], "'")
		return value, checkQuoted(rest, closed)
	case '"':
		value, rest, closed := unquoteDotenv(text[1:])
		return value, checkQuoted(rest, closed)
	}
	for _, comment := range []string{" #", "\t#"} {
		text, _, _ = strings.Cut(text, comment)
	}
	return strings.TrimSpace(text), nil
}

func checkQuoted(rest string, closed bool) error {
	rest = strings.TrimSpace(rest)
	switch {
	case !closed:
		return errors.New("has a quote without end; a value stands on one line")
	case rest != "" && rest[0] != '#':
		return errors.New("has text behind its closing quote")
	}
	return nil
}

func unquoteDotenv(text string) (value, rest string, closed bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:], true
		case c == '\\' && i+1 < len(text) && strings.IndexByte(`nrt"\$`, text[i+1]) >= 0:
			i++
			b.WriteString(dotenvEscapes.Replace(text[i : i+1]))
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

var dotenvEscapes = strings.NewReplacer("n", "\n", "r", "\r", "t", "\t")
