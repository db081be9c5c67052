package export

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"anvil/compiler/diag"
)

// JUnit returns the report as a JUnit XML file: a suite for each server and in it a test case for each rule that found something, and one for
// having looked at the server at all. A test case fails when one of its findings is at or above the tool's threshold; the others stand in its output.
func JUnit(r diag.Report, t Tool) ([]byte, error) {
	var suites junit.Testsuites
	for id, server := range serversOf(r) {
		suites.AddSuite(t.suiteOf(r, server, id))
	}
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	if err := suites.WriteXML(&b); err != nil {
		return nil, fmt.Errorf("write JUnit report: %w", err)
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), nil
}

// serversOf lists the servers of a report in the order of their names; a report about one server without a name has one suite.
func serversOf(r diag.Report) []string {
	var names []string
	for _, s := range r.Servers {
		names = append(names, s.Server)
	}
	for _, f := range r.Findings {
		names = append(names, f.Server)
	}
	if len(names) == 0 {
		names = []string{""}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (t Tool) suiteOf(r diag.Report, server string, id int) junit.Testsuite {
	name := server
	if name == "" {
		name = "server"
	}
	suite := junit.Testsuite{Name: xmlText(name), Package: r.Report, ID: id, Time: "0", Timestamp: "1970-01-01T00:00:00", Hostname: "localhost"}
	looked := junit.Testcase{Name: "answers", Classname: xmlText(r.Report + "." + name), Time: "0"}
	for _, s := range r.Servers {
		if s.Server == server && t.broken(s) {
			looked.Error = &junit.Result{Message: xmlText(s.State), Type: xmlText(s.State), Data: xmlText(s.Message)}
		}
	}
	suite.AddTestcase(looked)
	for _, rule := range rulesOf(r, server) {
		suite.AddTestcase(t.caseOf(r, server, rule, looked.Classname))
	}
	return suite
}

func rulesOf(r diag.Report, server string) []string {
	var rules []string
	for _, f := range r.Findings {
		if f.Server == server {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

func (t Tool) caseOf(r diag.Report, server, rule, class string) junit.Testcase {
	var failing, passing []string
	for _, f := range r.Findings {
		if f.Server != server || f.Rule != rule {
			continue
		}
		line := fmt.Sprintf("%s %s%s: %s", f.Class, f.Subject, f.Pointer, f.Message)
		if f.Hint != "" {
			line += "; " + f.Hint
		}
		if t.Threshold.Fails(f) {
			failing = append(failing, line)
		} else {
			passing = append(passing, line)
		}
	}
	c := junit.Testcase{Name: rule, Classname: class, Time: "0"}
	if len(failing) > 0 {
		c.Failure = &junit.Result{Message: xmlText(failing[0]), Type: rule, Data: xmlText(strings.Join(failing, "\n"))}
	}
	if len(passing) > 0 {
		c.SystemOut = &junit.Output{Data: xmlText(strings.Join(passing, "\n"))}
	}
	return c
}

// xmlText escapes what a text carries of a server's, and what XML cannot hold.
func xmlText(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = diag.Printable(line)
	}
	return strings.Join(lines, "\n")
}
