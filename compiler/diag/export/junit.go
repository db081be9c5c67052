package export

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"anvil/compiler/diag"
)

// JUnit returns the report as a JUnit XML file: a suite for each server and in it a test case for having looked at the server, and one for each
// rule that found something. A test case fails when one of its findings makes the command fail; the other findings, and those that
// somebody lets pass, stand in the suite's output.
//
// The file is valid against the schemas of Ant and of Jenkins. Ant's has no totals above the suites, no output and no skipping of a test case, and wants
// properties, both outputs, a host and a time of every suite; times would make two reports of one surface differ, so they are zero.
func JUnit(r diag.Report, t Tool) ([]byte, error) {
	var suites junit.Testsuites
	for id, server := range serversOf(r) {
		suites.Suites = append(suites.Suites, t.suiteOf(r, server, id)) // AddSuite would count the totals
	}
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	if err := suites.WriteXML(&b); err != nil {
		return nil, fmt.Errorf("write JUnit report: %w", err)
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), nil
}

// serversOf lists the servers of a report in the order of their names; the empty name stands for the one server of a report without names, or
// for what several have together.
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
	name := cmp.Or(server, t.Target, "server")
	if server == "" && len(r.Servers) > 0 {
		name = "together"
	}
	suite := junit.Testsuite{Name: shown(name), Package: shown(r.Report), ID: id, Time: "0", Timestamp: "1970-01-01T00:00:00", Hostname: "localhost"}
	suite.AddProperty("tool", shown(strings.TrimSpace(t.Name+" "+t.Version)))
	if t.Threshold != "" && !t.accepts(server) {
		suite.AddProperty("failOn", shown(string(t.Threshold)))
	}
	class := shown(r.Report + "." + name)
	for _, c := range t.lookedAt(r, server) {
		c.Classname = class
		suite.AddTestcase(c)
	}
	var passing []diag.Finding
	for _, rule := range rulesOf(r, server) {
		failing, rest := t.parted(r, server, rule)
		suite.AddTestcase(caseOf(rule, class, failing))
		passing = append(passing, rest...)
	}
	suite.SystemOut, suite.SystemErr = &junit.Output{}, &junit.Output{}
	if len(passing) > 0 {
		suite.SystemOut.Data = strings.Join(textOf(passing), "\n")
	}
	return suite
}

// lookedAt returns the test cases of having looked at the server: none for a name that only findings bear, such as that of a snapshot without a
// server, and none where no server was looked at.
func (t Tool) lookedAt(r diag.Report, server string) []junit.Testcase {
	if !r.OfServers() {
		return []junit.Testcase{{Name: "answers", Time: "0"}}
	}
	var cases []junit.Testcase
	for _, s := range r.Servers {
		if s.Server != server {
			continue
		}
		c := junit.Testcase{Name: "answers", Time: "0"}
		if t.broken(s) {
			state := shown(s.State)
			c.Error = &junit.Result{Message: state + ": " + shown(s.Message), Type: state, Data: shown(s.Message)}
		}
		cases = append(cases, c)
	}
	return cases
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

// parted returns what a rule found in a server: what fails, and the rest.
func (t Tool) parted(r diag.Report, server, rule string) (failing, rest []diag.Finding) {
	for _, f := range r.Findings {
		switch {
		case f.Server != server || f.Rule != rule:
		case t.fails(f):
			failing = append(failing, f)
		default:
			rest = append(rest, f)
		}
	}
	return failing, rest
}

// caseOf is the test case of a rule.
func caseOf(rule, class string, failing []diag.Finding) junit.Testcase {
	c := junit.Testcase{Name: shown(rule), Classname: class, Time: "0"}
	if len(failing) == 0 {
		return c
	}
	message := place(failing[0]) + ": " + shown(failing[0].Message)
	if more := len(failing) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	c.Failure = &junit.Result{Message: message, Type: shown(rule), Data: strings.Join(textOf(failing), "\n")}
	return c
}
