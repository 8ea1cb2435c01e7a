package application

import (
	"slices"
	"strings"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Body returns a body of POST /v1/decisions that states the given facts. ok is false if such a body cannot state one
// of the facts, because the fact is derived from other data. Reading the body may still give other facts in addition;
// a caller that needs exactly these facts must read the body and compare.
func Body(facts []rule.NamedValue) (body []byte, ok bool) {
	root := &bodyNode{}
	for _, f := range facts {
		path, value, known := stated(f)
		if !known {
			return nil, false
		}
		if path != "" {
			root.put(strings.Split(path, "."), value)
		}
	}
	for _, name := range []string{"applicant", "bureau_report"} {
		root.child(name) // every request has both objects, even if they are empty
	}
	var w wire.Writer
	root.write(&w)
	return w.Buf, true
}

// noScore is the score that means that the applicant is new to credit.
const noScore = -1

// stated returns the path and the value with which a request states a fact. The path is "" if another member already
// states the fact.
func stated(f rule.NamedValue) (path string, v rule.Value, ok bool) {
	switch {
	case f.Name == field.BureauIsNTC && f.Value.IsTrue():
		return "bureau_report.score", rule.Num(rule.Int(noScore)), true
	case f.Name == field.BureauIsNTC:
		return "", rule.Value{}, true // the score states this fact
	case f.Name == field.OwnReference:
		return field.ApplicantRef, rule.Str("applicant-1"), f.Value.IsTrue()
	case strings.Contains(f.Name, "."):
		root, _, _ := strings.Cut(f.Name, ".")
		return f.Name, f.Value, slices.Contains(decisionMembers, root)
	}
	if path, ok = requestPaths()[f.Name]; ok {
		return path, f.Value, true
	}
	path, ok = field.InReport(f.Name)
	return path, f.Value, ok
}

// requestPaths returns the path of each fact in a decision request. It contains only one fact of the bureau report:
// the score.
var requestPaths = sync.OnceValue(func() map[string]string {
	paths := map[string]string{}
	for path, to := range canonicals {
		root, _, _ := strings.Cut(path, ".")
		if slices.Contains(decisionMembers, root) {
			paths[to.name] = path
		}
	}
	return paths
})

// bodyNode is a member of a body that is being built: a value, or an object with members in the order of their names.
type bodyNode struct {
	name    string
	value   rule.Value
	members []*bodyNode
}

func (n *bodyNode) child(name string) *bodyNode {
	at, found := slices.BinarySearchFunc(n.members, name, func(m *bodyNode, name string) int {
		return strings.Compare(m.name, name)
	})
	if !found {
		n.members = slices.Insert(n.members, at, &bodyNode{name: name})
	}
	return n.members[at]
}

func (n *bodyNode) put(path []string, v rule.Value) {
	for _, name := range path {
		n = n.child(name)
	}
	n.value = v
}

func (n *bodyNode) write(w *wire.Writer) {
	if n.value.Type() != rule.Absent {
		n.value.Write(w)
		return
	}
	w.Object()
	for _, m := range n.members {
		w.Key(m.name)
		m.write(w)
	}
	w.EndObject()
}
