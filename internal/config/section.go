package config

import (
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
)

func textList(n *canon.Node) (list []string, ok bool) {
	if !n.IsArray() {
		return nil, false
	}
	for _, item := range n.Items {
		text, isText := item.Str()
		if !isText {
			return nil, false
		}
		list = append(list, text)
	}
	return list, true
}

// readSection reads one of anvil's own sections. A key it does not know is a mistake wherever the file is shared.
func (f *File) readSection(name string, section *canon.Node) (problems []error) {
	at := canon.Pointer(name)
	f.written[name] = true
	if name == "policy" {
		f.Serving.Policy = &pack.Policy{}
	}
	if section.Is(canon.Null) {
		return nil
	}
	if !section.IsObject() {
		return []error{f.problem(at, "%s must be a map", name)}
	}
	for _, m := range section.Members {
		f.written[name+"."+m.Name] = true
		if err := f.readSetting(name, m.Name, m.Value, at+canon.Pointer(m.Name)); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

func (f *File) readSetting(section, key string, value *canon.Node, at string) error {
	switch section + "." + key {
	case "gate.maxTools":
		n, ok := value.Int()
		if !ok || n < 1 || n > 1<<31-1 {
			return f.problem(at, "gate.maxTools must be a whole number of at least 1")
		}
		f.Gate.MaxTools = int(n)
		return nil
	case "gate.clients":
		clients, ok := textList(value)
		if !ok {
			return f.problem(at, "gate.clients must be a list of client ids; `anvil rules --profiles` lists them")
		}
		f.Gate.Clients = clients
		return nil
	case "gate.accept":
		return f.readAcceptances(gateAccept, value, at, &f.Gate.Accept)
	case "diff.accept":
		return f.readAcceptances(diffAccept, value, at, &f.Diff.Accept)
	case "diff.failOn":
		classes := []string{"breaking", "risky", "security", "any"}
		if !slices.Contains(classes, value.Text()) {
			return f.problem(at, "diff.failOn must be one of %s", strings.Join(classes, ", "))
		}
		f.Diff.FailOn = value.Text()
		return nil
	}
	if section == "policy" {
		return f.readPolicy(key, value, at)
	}
	if section == "facade" {
		return f.readServing(key, value, at)
	}
	if section == "learn" && key == "store" {
		return f.readStore(value, at)
	}
	switch section {
	case "learn":
		return f.problem(at, "unknown key %q in learn; known is store", key)
	case "gate":
		return f.problem(at, "unknown key %q in gate; known are accept, clients and maxTools", key)
	}
	return f.problem(at, "unknown key %q in diff; known are accept and failOn", key)
}
