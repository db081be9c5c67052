package export

import (
	"cmp"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// sarifSchema names the published schema that the file follows.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitzero"`
	Rules   []sarifRule `json:"rules"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID      string         `json:"id"`
	Short   sarifText      `json:"shortDescription"`
	Full    sarifText      `json:"fullDescription"`
	Help    sarifText      `json:"help"`
	Default sarifLevel     `json:"defaultConfiguration"`
	More    map[string]any `json:"properties,omitzero"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitzero"`
}

// sarifNotification tells of a server that could not be looked at.
type sarifNotification struct {
	Descriptor sarifDescriptor `json:"descriptor"`
	Level      string          `json:"level"`
	Message    sarifText       `json:"message"`
	Locations  []sarifLocation `json:"locations"`
}

type sarifDescriptor struct {
	ID string `json:"id"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Suppressions []sarifSuppressed `json:"suppressions,omitzero"`
	More         map[string]any    `json:"properties,omitzero"`
}

// sarifSuppressed says why a result passes: it is external, since the acceptance stands in a file that the result is not in.
type sarifSuppressed struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitzero"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region struct {
		Line int `json:"startLine"`
	} `json:"region"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

// SARIF returns the report as a SARIF 2.1.0 log. A finding's place is a logical location (subject and JSON pointer) in the file that stands for
// its server; code scanning wants a line of it, which is the first. Texts of servers are escaped as [diag.Printable] does, and make no link. A
// server that could not be looked at is a notification, and a finding that somebody lets pass is suppressed.
func SARIF(r diag.Report, t Tool) ([]byte, error) {
	var run sarifRun
	run.Results = []sarifResult{}
	run.Tool.Driver = sarifDriver{Name: shown(t.Name), Version: shown(t.Version), Rules: []sarifRule{}}
	index := map[string]int{}
	for _, f := range r.Findings {
		if _, known := index[f.Rule]; !known {
			index[f.Rule] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, t.sarifRule(f))
		}
		run.Results = append(run.Results, t.sarifResult(f, index[f.Rule]))
	}
	invocation := sarifInvocation{Successful: true}
	for _, s := range r.Servers {
		if t.broken(s) {
			invocation.Successful = false
			text := sarifMessage(shown(s.Server) + ": " + shown(s.State) + ": " + shown(s.Message))
			invocation.Notifications = append(invocation.Notifications,
				sarifNotification{sarifDescriptor{shown(s.State)}, "error", text, []sarifLocation{t.sarifLocation(s.Server)}})
		}
	}
	run.Invocations = []sarifInvocation{invocation}
	data, err := canon.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
	return diag.HarmlessQuoted(data), err
}

// sarifMessage keeps what a server says from being read as a link: SARIF's plain messages may hold [text](target).
func sarifMessage(text string) sarifText { return sarifText{strings.ReplaceAll(text, "](", "] (")} }

// sarifRule describes the rule of f; one that the catalogue does not have is described by what f says.
func (t Tool) sarifRule(f diag.Finding) sarifRule {
	rule, ok := t.Rules.Find(f.Rule)
	if !ok {
		id := shown(f.Rule)
		rule = diag.Rule{ID: id, Title: id, Doc: id, Class: f.Class, Security: f.Security}
	}
	doc := inOneLine(cmp.Or(rule.Doc, rule.Title))
	out := sarifRule{ID: rule.ID, Short: sarifText{inOneLine(rule.Title)}, Full: sarifText{doc}, Help: sarifText{doc},
		Default: sarifLevel{levelOf(rule.Class, rule.Security)}}
	if rule.Hint != "" {
		out.Help.Text += " " + inOneLine(rule.Hint)
	}
	if rule.Security {
		out.More = map[string]any{"tags": []string{"security"}}
	}
	return out
}

func (t Tool) sarifResult(f diag.Finding, rule int) sarifResult {
	location := t.sarifLocation(f.Server)
	location.Logical = []sarifLogical{{place(f)}}
	fingerprint := shown(cmp.Or(f.Fingerprint, f.Sealed().Fingerprint))
	var suppressed []sarifSuppressed
	if f.Accepted != nil {
		suppressed = []sarifSuppressed{{"external", shown(f.Accepted.Reason + " (until " + f.Accepted.Until + ")")}}
	}
	return sarifResult{
		RuleID: shown(f.Rule), RuleIndex: rule, Level: level(f), Suppressions: suppressed, Message: sarifMessage(strings.Join(details([]diag.Finding{f}), "\n")),
		Locations: []sarifLocation{location}, More: sarifProperties(f),
		// Code scanning tells alerts apart by the second alone, and takes the hash of the line without it: all lines are the first.
		Fingerprints: map[string]string{"anvil/1": fingerprint, "primaryLocationLineHash": fingerprint},
	}
}

func (t Tool) sarifLocation(server string) sarifLocation {
	var l sarifLocation
	l.Physical.Artifact.URI = t.uri(server)
	l.Physical.Region.Line = 1
	return l
}

func sarifProperties(f diag.Finding) map[string]any {
	more := map[string]any{"class": shown(string(f.Class))}
	for name, value := range map[string]string{"axis": f.Axis, "radius": f.Radius, "confirmed": f.Confirmed, "tool": f.Tool, "server": f.Server} {
		if value != "" {
			more[name] = shown(value)
		}
	}
	if f.Witness != nil {
		more["witness"] = shown(string(diag.PrintableJSON(f.Witness)))
	}
	if call, ok := f.Call(); ok && shown(call) == call { // half a call is none
		more["call"] = call
	}
	if len(f.Affects) > 0 {
		more["affects"] = shown(diag.AffectsLine(f.Affects))
	}
	if f.Security {
		more["tags"] = []string{"security"}
	}
	return more
}
