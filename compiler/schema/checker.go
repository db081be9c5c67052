package schema

import "anvil/compiler/canon"

// Checker says of single values whether a schema takes them. It compiles what they reach of the schema, and all of it only where values come
// that reach for more. It is not safe for concurrent use.
type Checker struct {
	schema    *Analysis
	validator *Validator
	names     map[string]bool // of members of values that are expected; nil for any
	made      int             // how many validators
}

// NewChecker returns a checker of a schema, of which nothing is compiled yet.
func NewChecker(a *Analysis) *Checker { return &Checker{schema: a, names: map[string]bool{}} }

// maxReduced is how many validators are made of parts of a schema before one is made of all of it.
const maxReduced = 2

// Expect announces a value, which is JSON text: values that are expected before the first is asked about need one validator.
func (c *Checker) Expect(value []byte) {
	if n, err := canon.Parse(value); err == nil {
		c.expect(n)
	}
}

// Takes reports whether the schema takes a value, which is JSON text. It fails where [NewValidator] does.
func (c *Checker) Takes(value []byte) (bool, error) {
	n, err := canon.Parse(value)
	if err != nil {
		return false, err
	}
	if c.expect(n); c.validator == nil {
		if c.made++; c.made > maxReduced {
			c.names = nil
		}
		if c.validator, err = c.schema.compile(c.names); err != nil {
			return false, err
		}
	}
	refused, err := c.validator.refused(n, (&document{}).value(n))
	return err == nil && refused == nil, err
}

// expect adds the names of a value's members. With another name the validator is of no use any more.
func (c *Checker) expect(n *canon.Node) {
	if c.names == nil {
		return
	}
	for _, item := range n.Items {
		c.expect(item)
	}
	for _, m := range n.Members {
		if name := libraryText(m.RawName); !c.names[name] {
			c.names[name], c.validator = true, nil
		}
		c.expect(m.Value)
	}
}
