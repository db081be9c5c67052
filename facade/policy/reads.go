package policy

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// reads is what an expression looks at.
type reads struct {
	variables map[string]bool
	members   [][]string // of arguments: {"order", "total"} for arguments.order.total
	loops     bool
	doubles   []float64 // literals
	tools     []string  // names that the variable tool is compared with
}

func readsOf(expr ast.Expr) *reads {
	r := &reads{variables: map[string]bool{}}
	r.visit(expr)
	return r
}

// visit goes through an expression. A path of members is taken whole where it starts, and its parts are not visited again.
func (r *reads) visit(e ast.Expr) {
	if path, ok := memberPath(e); ok {
		r.variables["arguments"] = true
		if len(path) > 0 {
			r.members = append(r.members, path)
		}
		r.indices(e)
		return
	}
	switch e.Kind() {
	case ast.IdentKind:
		r.variables[e.AsIdent()] = true
	case ast.SelectKind:
		r.visit(e.AsSelect().Operand())
	case ast.CallKind:
		r.call(e.AsCall())
	case ast.ListKind:
		for _, each := range e.AsList().Elements() {
			r.visit(each)
		}
	case ast.MapKind:
		for _, each := range e.AsMap().Entries() {
			r.visit(each.AsMapEntry().Key())
			r.visit(each.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, each := range e.AsStruct().Fields() {
			r.visit(each.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		r.loops = true
		c := e.AsComprehension()
		for _, each := range []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			r.visit(each)
		}
	case ast.LiteralKind:
		if d, ok := e.AsLiteral().(types.Double); ok {
			r.doubles = append(r.doubles, float64(d))
		}
	}
}

// names notes the tools that an expression names: tool == "x", "x" == tool and tool in ["x", "y"].
func (r *reads) names(c ast.CallExpr) {
	isTool := func(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == "tool" }
	args := c.Args()
	switch {
	case len(args) != 2:
	case c.FunctionName() == operators.Equals:
		for i, e := range args {
			if name, ok := text(args[1-i]); ok && isTool(e) {
				r.tools = append(r.tools, name)
			}
		}
	case c.FunctionName() == operators.In && isTool(args[0]) && args[1].Kind() == ast.ListKind:
		for _, e := range args[1].AsList().Elements() {
			if name, ok := text(e); ok {
				r.tools = append(r.tools, name)
			}
		}
	}
}

func (r *reads) call(c ast.CallExpr) {
	r.names(c)
	if c.FunctionName() == operators.In && len(c.Args()) == 2 {
		if name, ok := text(c.Args()[0]); ok {
			if path, isMember := memberPath(c.Args()[1]); isMember {
				r.variables["arguments"] = true
				r.members = append(r.members, append(path[:len(path):len(path)], name))
				return
			}
		}
	}
	if c.IsMemberFunction() {
		r.visit(c.Target())
	}
	for _, each := range c.Args() {
		r.visit(each)
	}
}

// indices visits what is between brackets along a path of members: it can read variables too.
func (r *reads) indices(e ast.Expr) {
	switch e.Kind() {
	case ast.SelectKind:
		r.indices(e.AsSelect().Operand())
	case ast.CallKind:
		r.indices(e.AsCall().Args()[0])
		if _, ok := text(e.AsCall().Args()[1]); !ok {
			r.visit(e.AsCall().Args()[1])
		}
	}
}

// memberPath is the members of arguments that e leads through, up to the first that is not named by a literal; ok is false where e leads elsewhere.
func memberPath(e ast.Expr) (path []string, ok bool) {
	path, _, ok = steps(e)
	return path, ok
}

func steps(e ast.Expr) (path []string, open, ok bool) {
	var name string
	var below ast.Expr
	switch e.Kind() {
	case ast.IdentKind:
		return nil, true, e.AsIdent() == "arguments"
	case ast.SelectKind:
		name, below, open = e.AsSelect().FieldName(), e.AsSelect().Operand(), true
	case ast.CallKind:
		c := e.AsCall()
		if c.FunctionName() != operators.Index || len(c.Args()) != 2 {
			return nil, false, false
		}
		below = c.Args()[0]
		name, open = text(c.Args()[1])
	default:
		return nil, false, false
	}
	path, whole, ok := steps(below)
	if !ok {
		return nil, false, false
	}
	if open = open && whole; open {
		path = append(path, name)
	}
	return path, open, true
}

func text(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}
