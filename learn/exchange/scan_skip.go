package exchange

// skip reads over one value. Brackets must match, strings must end on their line.
func (s *scanner) skip() error {
	var open [maxScanDepth]byte
	depth := 0
	for {
		c, err := s.token()
		if err != nil {
			return err
		}
		switch c {
		case '{', '[':
			if depth == len(open) {
				return s.badly("more than %d arrays and objects stand inside one another", maxScanDepth)
			}
			open[depth] = c + 2 // what closes it: '}' and ']' are two behind
			depth++
			continue
		case '}', ']':
			if depth == 0 || open[depth-1] != c {
				return s.badly("expected a value, or the other bracket")
			}
			depth--
		case ',', ':':
			if depth == 0 {
				return s.badly("expected a value")
			}
			continue
		case '"':
			err = s.str()
		default:
			err = s.word()
		}
		if err != nil || depth == 0 {
			return err
		}
	}
}

// str reads the rest of a string.
func (s *scanner) str() error {
	for {
		c, err := s.get()
		switch {
		case err != nil:
			return err
		case c == '"':
			return nil
		case c < 0x20:
			return s.badly("control character in a string")
		case c == '\\':
			if _, err := s.get(); err != nil {
				return err
			}
		}
	}
}

// word reads the rest of a number, of true, false or null.
func (s *scanner) word() error {
	for {
		c, err := s.get()
		if err != nil {
			return err
		}
		switch c {
		case ',', ':', '}', ']', '{', '[', '"', ' ', '\t', '\r', '\n':
			s.back()
			return nil
		}
	}
}
