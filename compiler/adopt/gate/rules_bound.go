package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// Bounds of a verdict. Nobody reads more, and a server that lists tools without end must not write a report that is many times its own size: the
// largest of 135 captured surfaces has a third of the findings of one rule, and a sixteenth of the bytes.
const (
	maxOfRule   = 1000    // findings of one rule on one axis that are listed
	reportShare = 2       // bytes of findings, as JSON, for each byte of the surface
	reportFloor = 4 << 20 // bytes of findings for any surface
)

// collector gathers what the checks find: it applies the acceptances to each finding, and keeps no more than the verdict may hold.
type collector struct {
	options Options
	byRule  map[string][]int // the acceptances of a rule
	covered []bool           // whether an acceptance covers something
	piles   map[lot]*pile
	gists   gists
	room    int // bytes of JSON that the findings may take
}

// lot is what findings are counted by.
type lot struct{ rule, axis string }

// pile is one lot: the findings that are kept, and what is said of those that are not.
type pile struct {
	lot
	kept []diag.Finding
	left int
	rest diag.Finding // as bad as the worst of those that are left out

	unlisted map[string]bool // tools that have findings of a rule of security that are not listed
	shown    []string        // tools that have findings that are
}

func newCollector(o Options, surfaces ...*surface.McpSurfaceSnapshot) *collector {
	c := &collector{options: o, byRule: map[string][]int{}, covered: make([]bool, len(o.Accepted)), piles: map[lot]*pile{}, gists: gists{}, room: reportFloor}
	for i, a := range o.Accepted {
		c.byRule[a.Rule] = append(c.byRule[a.Rule], i)
	}
	for _, s := range surfaces {
		c.room += reportShare * bytesOf(s)
	}
	return c
}

// bytesOf is how much the server said.
func bytesOf(s *surface.McpSurfaceSnapshot) int {
	sum := 0
	for _, n := range []*canon.Node{s.Server, s.Capabilities, s.Instructions, s.Extra} {
		if n != nil {
			sum += len(n.Raw)
		}
	}
	for _, kind := range surface.Kinds {
		for _, it := range s.Items[kind] {
			sum += len(it.Node.Raw)
		}
	}
	return sum
}

func (c *collector) add(findings []diag.Finding) {
	for _, f := range findings {
		f = c.accept(f)
		c.gists.add(f.Subject, f)
		at := lot{f.Rule, f.Axis}
		p := c.piles[at]
		if p == nil {
			p = &pile{lot: at}
			c.piles[at] = p
		}
		if p.kept = append(p.kept, f); len(p.kept) >= 2*maxOfRule && !c.options.Whole {
			p.cut(maxOfRule)
		}
	}
}

// accept returns the finding as information that says why it passes, when an acceptance covers it and holds.
func (c *collector) accept(f diag.Finding) diag.Finding {
	on := f
	on.Server = cmp.Or(f.Server, c.options.Server)
	for _, i := range c.byRule[f.Rule] {
		a := c.options.Accepted[i]
		if !a.Covers(on) {
			continue
		}
		c.covered[i] = true
		if passed, ok := a.on(f, c.options.Now); ok {
			f = passed
			f.Class, f.Hint = diag.Info, ""
		}
	}
	return f
}

// cut leaves out what is beyond a number of findings, the least first. Tools of one name have the same findings, of which one tells all.
func (p *pile) cut(most int) {
	diag.Sort(p.kept)
	p.kept = slices.CompactFunc(p.kept, func(a, b diag.Finding) bool { return a.Fingerprint != "" && a.Fingerprint == b.Fingerprint })
	spread(p.kept)
	if len(p.kept) <= most {
		return
	}
	for _, f := range p.kept[most:] {
		p.leave(f)
	}
	clear(p.kept[most:])
	p.kept = p.kept[:most]
}

// leave counts a finding that is not listed.
func (p *pile) leave(f diag.Finding) {
	if p.left++; p.left == 1 || f.Class.Rank() > p.rest.Class.Rank() {
		p.rest.Class, p.rest.Radius, p.rest.Confirmed = f.Class, f.Radius, f.Confirmed
	}
	p.rest.Security, p.rest.Refuses = p.rest.Security || f.Security, p.rest.Refuses || f.Refuses
	if f.Security && f.Tool != "" {
		if p.unlisted == nil {
			p.unlisted = map[string]bool{}
		}
		p.unlisted[f.Tool] = true
	}
}

// verdict returns what is listed, and for each lot that is not listed whole one finding more that tells how many are left out.
func (c *collector) verdict() Verdict {
	piles := make([]*pile, 0, len(c.piles))
	most := maxOfRule
	if c.options.Whole {
		most, c.room = math.MaxInt, math.MaxInt
	}
	for _, p := range c.piles {
		p.cut(most)
		piles = append(piles, p)
	}
	slices.SortFunc(piles, func(a, b *pile) int { return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.axis, b.axis)) })
	findings := c.fill(piles)
	for _, p := range piles {
		if p.left > 0 {
			findings = append(findings, p.summary())
		}
	}
	diag.Sort(findings)
	return Verdict{Findings: findings, Covered: c.covered, About: c.gists.bySubject()}
}

// fill lists findings while there is room: the worst class first, and within a class one of each lot by turns. Once one does not fit, nothing less
// is listed.
func (c *collector) fill(piles []*pile) []diag.Finding {
	findings, full := []diag.Finding{}, false
	for rank := diag.Error.Rank(); rank >= 0; rank-- {
		for turn, more := 0, true; more; turn++ {
			more = false
			for _, p := range piles {
				if turn >= len(p.kept) || p.kept[turn].Class.Rank() != rank {
					continue
				}
				more = true
				size := sizeOfFinding(p.kept[turn])
				if full = full || size > c.room; full {
					p.leave(p.kept[turn])
					continue
				}
				c.room -= size
				findings = append(findings, p.kept[turn])
				p.shown = append(p.shown, p.kept[turn].Tool)
			}
		}
		for _, p := range piles { // so that the next rank begins at the head
			at := slices.IndexFunc(p.kept, func(f diag.Finding) bool { return f.Class.Rank() != rank })
			if at < 0 {
				at = len(p.kept)
			}
			p.kept = p.kept[at:]
		}
	}
	return findings
}

// sizeOfFinding bounds how many bytes a finding takes in a report, as indented JSON in which what is not seen is escaped.
func sizeOfFinding(f diag.Finding) int {
	const (
		perLine   = 12 // a line's indentation
		perRune   = 6  // what is not ASCII, escaped: two of it above U+FFFF
		perMember = 20 * perLine
	)
	data, err := canon.EncodeCompact(f)
	if err != nil {
		return 0 // the report says so
	}
	size := perMember
	for _, c := range data {
		switch {
		case c == ',', c == '[', c == '{':
			size += perLine
		case c == '#', c >= 0xC0 && c < 0xF0: // which may be escaped too
			size += perRune
		case c >= 0xF0:
			size += 2 * perRune
		case c < 0x80:
			size++
		}
	}
	return size
}

func (p *pile) summary() diag.Finding {
	f := p.rest
	f.Rule, f.Axis, f.Subject = p.rule, p.axis, "server"
	f.Message = fmt.Sprintf("%d more findings of rule %s are not listed", p.left, p.rule)
	p.nameUnlisted(&f)
	f.Hint = "correct or accept those that are listed, and look again"
	return f.Sealed(fmt.Sprint(p.left))
}
