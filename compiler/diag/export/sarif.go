package export

import (
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
	Help    *sarifText     `json:"help,omitzero"`
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
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	More         map[string]any    `json:"properties,omitzero"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
	} `json:"physicalLocation"`
	Logical []sarifLogical `json:"logicalLocations"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

// SARIF returns the report as a SARIF 2.1.0 log. A finding's place is a logical location (subject and JSON pointer) in the file that stands for
// its server; texts of servers are escaped as [diag.Printable] does. A server that could not be looked at is a notification.
func SARIF(r diag.Report, t Tool) ([]byte, error) {
	var run sarifRun
	run.Results = []sarifResult{}
	run.Tool.Driver = sarifDriver{Name: t.Name, Version: t.Version, Rules: []sarifRule{}}
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
			invocation.Notifications = append(invocation.Notifications,
				sarifNotification{"error", sarifText{diag.Printable(s.Server + ": " + s.State + ": " + s.Message)}})
		}
	}
	run.Invocations = []sarifInvocation{invocation}
	return canon.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// sarifRule describes the rule of f; one that the catalogue does not have is described by what f says.
func (t Tool) sarifRule(f diag.Finding) sarifRule {
	rule, ok := t.Rules.Find(f.Rule)
	if !ok {
		rule = diag.Rule{ID: f.Rule, Title: f.Rule, Doc: f.Rule, Class: f.Class, Security: f.Security}
	}
	out := sarifRule{ID: rule.ID, Short: sarifText{rule.Title}, Full: sarifText{rule.Doc}, Default: sarifLevel{levelOf(rule.Class)}}
	if rule.Hint != "" {
		out.Help = &sarifText{rule.Hint}
	}
	if rule.Security {
		out.More = map[string]any{"tags": []string{"security"}}
	}
	return out
}

func (t Tool) sarifResult(f diag.Finding, rule int) sarifResult {
	text := f.Message
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	out := sarifResult{RuleID: f.Rule, RuleIndex: rule, Level: levelOf(f.Class), Message: sarifText{diag.Printable(text)},
		Locations: make([]sarifLocation, 1), Fingerprints: map[string]string{"anvil/1": f.Fingerprint}}
	out.Locations[0].Physical.Artifact.URI = t.artifact(f.Server)
	out.Locations[0].Logical = []sarifLogical{{diag.Printable(f.Subject + f.Pointer)}}
	more := map[string]any{"class": string(f.Class)}
	for name, value := range map[string]string{"axis": f.Axis, "radius": f.Radius, "confirmed": f.Confirmed, "tool": f.Tool, "server": f.Server} {
		if value != "" {
			more[name] = diag.Printable(value)
		}
	}
	if f.Security {
		more["tags"] = []string{"security"}
	}
	out.More = more
	return out
}

func levelOf(c diag.Class) string {
	switch c {
	case diag.Error, diag.Breaking:
		return "error"
	case diag.Risky, diag.Warning:
		return "warning"
	}
	return "note"
}
