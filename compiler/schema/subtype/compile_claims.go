package subtype

import "anvil/compiler/canon"

// maxConditions bounds how deep conditions in each other are gone through for what they name.
const maxConditions = 8

// claims are the members that an object schema names without declaring them, each as one that may be anything: what is named is not left to whoever sends
// it, so that nothing the other schema says of it is forgiven. They are those of the schema that allows a value; nil where none is named. What another
// branch of a composition names is no claim: each kind of a union has members of its own.
func (c *compiler) claims(n *canon.Node) map[string]literal {
	if !c.unclaimed || c.second {
		return nil
	}
	var names map[string]literal
	named(n, 0, func(name string) {
		if names == nil {
			names = map[string]literal{}
		}
		names[name] = c.always()
	})
	return names
}

// named yields what the keywords of a schema name, other than by declaring it or asking for it; below a condition, what it asks for too.
func named(n *canon.Node, within int, yield func(name string)) {
	if n == nil || within > maxConditions {
		return
	}
	for _, m := range n.Members {
		switch name, v := m.Name, m.Value; {
		case name == "propertyNames":
			texts(v.Get("enum"), yield)
			texts(v.Get("const"), yield)
		case name == "dependentRequired" || name == "dependentSchemas" || name == "dependencies":
			for _, of := range v.Members {
				yield(of.Name)
				texts(of.Value, yield)
			}
		case name == "if" || name == "not":
			named(v, within+1, yield)
		case within == 0:
		case name == "required":
			texts(v, yield)
		case name == "properties":
			for _, of := range v.Members {
				yield(of.Name)
			}
		case name == "allOf" || name == "anyOf" || name == "oneOf":
			for _, branch := range v.Items {
				named(branch, within+1, yield)
			}
		}
	}
}

// texts yields a text, or those of a list.
func texts(n *canon.Node, yield func(text string)) {
	if text, ok := n.Str(); ok {
		yield(text)
	}
	for _, item := range n.Elements() {
		if text, ok := item.Str(); ok {
			yield(text)
		}
	}
}
