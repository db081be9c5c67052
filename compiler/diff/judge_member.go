package diff

import (
	"anvil/compiler/diag"
	"anvil/compiler/schema/subtype"
)

// member judges a member of an object that came, went, was renamed, or is required on one side only, as one change.
func (s *schemaJudge) member(c Change) {
	p := c.Schema
	if p.Relation.Verdict == subtype.Unknown {
		s.add("schema-changed", c, s.propertyOf(p, p.Property)+" changed; what it does is not decided, since "+s.stopped(p.Relation), diag.Risky, nil)
		return
	}
	switch {
	case p.Keyword == "required":
		s.requiredness(c)
	case p.From != "":
		message := s.propertyOf(p, p.From) + " is called " + quoted(p.Property) + " now"
		if class, _ := s.verdict(p.Relation); s.side == Input && class != diag.Breaking {
			message += "; a call that sends the old name is still accepted, and the value means nothing"
		}
		s.proven("prop-renamed", c, message, diag.Risky)
	case absent(c.Before):
		s.came(c)
	default:
		s.went(c)
	}
}

func (s *schemaJudge) requiredness(c Change) {
	p := c.Schema
	property := s.propertyOf(p, p.Property)
	message := map[Side][2]string{
		Input: {" became required", " became optional"}, Output: {" is always there now", " may be missing now"},
	}[s.side]
	switch {
	case p.Relation.Verdict == subtype.Equal:
		s.respelled = append(s.respelled, c)
	case p.NewRequired:
		s.proven("required-added", c, property+message[0], diag.Safe)
	default:
		s.proven("required-removed", c, property+message[1], diag.Safe)
	}
}

// came judges a member that is declared now.
func (s *schemaJudge) came(c Change) {
	p := c.Schema
	property := s.propertyOf(p, p.Property)
	class, witness := s.verdict(p.Relation)
	if string(c.After) == "false" {
		s.add("undeclared-changed", c, property+" is forbidden now", class, witness)
		return
	}
	switch breaks := class == diag.Breaking; {
	case s.side == Input && breaks && p.NewRequired && !p.OldRequired:
		s.add("required-added", c, property+" was added and is required"+s.sink(p), class, witness)
		s.found[len(s.found)-1].Security = p.Sink == Secret || p.Sink == Command
	case s.side == Input && !breaks && s.sensitive(c): // told there
	case p.OldObject == Closed:
		s.add("prop-added-closed", c, property+" was added", class, witness)
	case breaks && s.side == Input:
		s.add("prop-added-optional", c, property+" was added: what callers could send under its name is held to its schema now", class, witness)
	default:
		s.add("prop-added-optional", c, property+" was added", class, witness)
	}
}

// went judges a member that is no longer declared.
func (s *schemaJudge) went(c Change) {
	p := c.Schema
	property := s.propertyOf(p, p.Property)
	class, witness := s.verdict(p.Relation)
	switch {
	case string(c.Before) == "false":
		s.add("undeclared-changed", c, property+" is no longer forbidden", class, witness)
	case s.side == Output && class == diag.Breaking && p.OldRequired:
		s.add("required-removed", c, property+", which was always there, was removed", class, witness)
	case p.NewObject == Closed && (s.side == Output || class == diag.Breaking):
		if s.side == Output {
			class = atLeast(class, diag.Risky)
		}
		s.add("prop-removed-closed", c, property+" was removed", class, witness)
	case s.side == Input && class != diag.Breaking:
		s.add("prop-removed-open", c, property+" was removed; a call that sends it is still accepted, and the value means nothing", diag.Risky, nil)
	default:
		s.add("prop-removed-open", c, property+" was removed", atLeast(class, diag.Risky), witness)
	}
}

// sinkWords say why a new argument is worth a look.
var sinkWords = map[Sink]string{
	Secret: "it takes a credential", Command: "it takes something to run", Path: "it takes a path in a file system", Address: "it takes an address to reach",
	Query: "it takes a query for a database",
}

func (s *schemaJudge) sink(p *Place) string {
	if p.Sink == NoSink {
		return ""
	}
	return "; " + sinkWords[p.Sink]
}

// sensitive reports a new optional argument of a tool that gives it new reach.
func (s *schemaJudge) sensitive(c Change) bool {
	p := c.Schema
	if p.Sink == NoSink {
		return false
	}
	s.add("sensitive-param-introduced", c, s.propertyOf(p, p.Property)+" was added"+s.sink(p), diag.Risky, nil)
	return true
}
