package canon

import "errors"

// ParseCanonical returns the tree of src's canonical form: what [Parse] makes of [Canonical]. Text that differs from its canonical form in white space
// and spelling alone, as anvil's own files do, is gone through once.
func ParseCanonical(src []byte) (*Node, error) {
	p := parsers.Get().(*parser)
	p.src, p.dst = src, make([]byte, 0, len(src))
	room := cap(p.dst)
	err := single(src, p.formed)
	switch {
	case err == nil && cap(p.dst) == room:
		return p.done(), nil
	case err != nil && !errors.Is(err, errOrder):
		return nil, err
	}
	text, err := Canonical(src)
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

var errOrder = errors.New("members are not in order")

// formed is value that writes what it reads, and leaves a node of what it wrote. What is written is never moved: where members have to be brought in
// order it fails with errOrder, and where dst grows the nodes are of no use.
func (p *parser) formed(i int) (end int, err error) {
	if i >= len(p.src) {
		return 0, syntaxError(i, "expected a value")
	}
	n, start := p.newNode(), len(p.dst)
	n.Kind = Kind(p.src[i])
	switch c := p.src[i]; {
	case c == '"':
		var plain bool
		if end, plain, err = lexString(p.src, i); err == nil {
			p.dst = literal{p.src[i:end], plain}.appendCanonical(p.dst)
		}
	case c == '-' || '0' <= c && c <= '9':
		n.Kind = Number
		if end, err = lexNumber(p.src, i); err == nil {
			p.dst = appendCanonicalNumber(p.dst, p.src[i:end])
		}
	case c == '{' || c == '[':
		end, err = p.formedContainer(n, i)
	default:
		if end, err = lexLiteral(p.src, i); err == nil {
			p.dst = append(p.dst, p.src[i:end]...)
		}
	}
	if err != nil {
		return 0, err
	}
	n.Raw = p.dst[start:len(p.dst):len(p.dst)]
	p.node = n
	return end, nil
}

func (p *parser) formedContainer(n *Node, i int) (int, error) {
	if p.depth++; p.depth > MaxDepth {
		return 0, syntaxError(i, "nested too deep")
	}
	defer func() { p.depth-- }()
	firstMember, firstItem := len(p.members), len(p.items)
	p.dst = append(p.dst, byte(n.Kind))
	body := len(p.dst)
	end, err := walk(p.src, i, func(name literal, value int) (int, error) {
		start := len(p.dst)
		p.dst = name.appendCanonical(p.dst)
		m := Member{Name: p.name(name), RawName: p.dst[start:len(p.dst):len(p.dst)]}
		if last := len(p.members) - 1; last >= firstMember && compareUTF16(p.members[last].Name, m.Name) > 0 {
			return 0, errOrder
		}
		p.dst = append(p.dst, ':')
		end, err := p.formed(value)
		m.Value = p.node
		p.members, p.dst = append(p.members, m), append(p.dst, ',')
		return end, err
	}, func(value int) (int, error) {
		end, err := p.formed(value)
		p.items, p.dst = append(p.items, p.node), append(p.dst, ',')
		return end, err
	})
	if err != nil {
		return 0, err
	}
	if len(p.dst) > body {
		p.dst = p.dst[:len(p.dst)-1]
	}
	p.dst = append(p.dst, byte(n.Kind)+2) // ']' and '}' stand two behind '[' and '{'
	p.fill(n, firstMember, firstItem)
	return end, nil
}
