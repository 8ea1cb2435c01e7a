package application

import (
	"slices"
	"strings"
	"sync"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// What a warning says of a member that is not known, before any hint.
const (
	textNoMember = "is not a member of this request and was not read"
	textNotRead  = "is not a known field and was not read"
	textCarried  = "is not a known field; a policy can read it if it declares the path in its inputs"
)

// hint is the known name that a misspelt one was probably meant to be.
type hint struct {
	nearest  string
	caseOnly bool   // they differ in upper and lower case alone
	beside   string // the object that the member stands in and belongs beside
}

// warnUnknown says that a member is not known, with the name that was probably
// meant.
func (r *reader) warnUnknown(v wire.Value, text string, h hint) {
	if h.beside != "" {
		text += "; it belongs beside " + h.beside
	}
	item := fault.Unknown(v.Pointer(), text, h.nearest, h.caseOnly)
	r.warnings.AddItem(item)
	if h.nearest != "" {
		r.hinted.AddItem(item)
	}
}

// unknownMember warns of a top-level member that nobody reads.
func (r *reader) unknownMember(v wire.Value, name string, known []string) {
	other, belongs := "", false
	switch {
	case r.app.Endpoint == Decisions && slices.Contains(evaluateMembers, name):
		other, belongs = "POST /v1/evaluate", true
	case r.app.Endpoint == Evaluate && slices.Contains(decisionMembers, name):
		other, belongs = "POST /v1/decisions", true
	}
	if belongs {
		r.warnings.Add(v.Pointer(), fault.CodeUnknownField, "is a member of %s and not of this request; it was not read", other)
		return
	}
	if r.full() {
		r.warnings.Add("", fault.CodeUnknownField, textNoMember) // is only counted
		return
	}
	candidates := slices.Concat(known, r.opt.Members, []string{"policy_key"})
	h := r.search("", name, candidates)
	if h.nearest == "" {
		h.nearest = r.elsewhere(name)
	}
	r.warnUnknown(v, textNoMember, h)
}

// full reports whether further warnings are only counted, so that no work goes
// into their text.
func (r *reader) full() bool { return r.warnings.Len() >= fault.MaxItems }

// maxSearches is how often a known name is searched for: a hostile body must not
// buy a search with every misspelt word.
const maxSearches = 20

// shortName is how long a name is of which a few letters are most of it.
const shortName = 4

// search looks for the name that was meant. One that differs in case alone, or
// means the same in other words, is always found; others are until there were
// too many searches.
func (r *reader) search(path, name string, known []string) hint {
	if synonym := synonyms[path+"."+name]; slices.Contains(known, synonym) {
		return hint{nearest: synonym}
	}
	if rest, ok := strings.CutPrefix(name, "bureau_"); ok && path == "bureau_report" && slices.Contains(known, rest) {
		return hint{nearest: rest} // the fact's own name
	}
	r.searched++
	near, caseOnly := rule.Meant(name, known, r.searched > maxSearches)
	if !caseOnly && near != "" && len(name) <= shortName && near[0] != name[0] {
		return hint{} // name is no misspelt age
	}
	return hint{nearest: near, caseOnly: caseOnly}
}

// near finds what a member of the object at base was probably meant to be. n is
// the known object that stands there, or that the object at base was probably
// meant to be; nil when there is none.
func (r *reader) near(n *node, base, name string) hint {
	if r.full() {
		return hint{}
	}
	if twin := evaluateTwins()[base+"."+name]; twin != "" && r.app.Endpoint == Evaluate {
		return hint{nearest: twin}
	}
	var h hint
	if n != nil {
		if n.path != base && n.has(name) { // the object around it is misspelt, and it is not
			return hint{nearest: n.path + "." + name}
		}
		h = r.search(n.path, name, r.candidates(n))
		if h.nearest != "" && n.path != base {
			return hint{nearest: n.path + "." + h.nearest}
		}
	}
	if h.nearest == "" {
		h.nearest = r.elsewhere(name)
		if i := strings.LastIndexByte(base, '.'); i > 0 && h.nearest == base[:i+1]+name {
			h.beside = base[i+1:]
		}
	}
	return h
}

// elsewhere is the path at which a member belongs that stands in the wrong
// object.
func (r *reader) elsewhere(name string) string {
	if path := elsewhere(r.app.Endpoint)[name]; path != "" {
		return path
	}
	if r.app.Endpoint == Evaluate {
		return misplaced[name]
	}
	return ""
}

// candidates are the names that may stand in an object: those of the catalogue
// and those that the policy declares.
func (r *reader) candidates(n *node) []string {
	if len(r.opt.Inputs) == 0 {
		return n.names
	}
	list := slices.Clone(n.names)
	for path := range r.opt.Inputs {
		if rest, ok := strings.CutPrefix(path, n.path+"."); ok {
			segment, _, _ := strings.Cut(rest, ".")
			list = append(list, segment)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// guess is the known object that an unknown one was probably meant to be, nil
// when there is none.
func (r *reader) guess(n *node, name string) *node {
	if n == nil || r.full() {
		return nil
	}
	h := r.search(n.path, name, n.names)
	return n.children[h.nearest]
}

// hintEntries adds the names that were probably meant to the warnings of
// accounts, enquiries and transactions from the given one on.
func (r *reader) hintEntries(from int) {
	items := r.warnings.Items()
	for i := from; i < len(items); i++ {
		item := &items[i]
		if item.Code != fault.CodeUnknownField {
			continue
		}
		list, names := "accounts", report.AccountNames
		switch {
		case strings.HasPrefix(item.Pointer, "/bank_summary/"):
			list, names = "transactions", report.TransactionNames
		case strings.Contains(item.Pointer, "/paymentHistory/"):
			list, names = "paymentHistory", report.MonthNames
		case strings.Contains(item.Pointer, "/enquiries/"):
			list, names = "enquiries", report.EnquiryNames
		}
		name := item.Pointer[strings.LastIndexByte(item.Pointer, '/')+1:]
		if item.Nearest == "" {
			h := r.search(list, name, names)
			*item = fault.Unknown(item.Pointer, item.Detail, h.nearest, h.caseOnly)
		}
		if item.Nearest != "" {
			r.hinted.AddItem(*item)
		}
	}
}

// elsewhere has the paths of an endpoint's request by their last names, for
// members that stand in the wrong object. A name that several paths end with is
// none of them.
func elsewhere(e Endpoint) map[string]string {
	if e == Evaluate {
		return evaluateEnds()
	}
	return decisionEnds()
}

var (
	decisionEnds = sync.OnceValue(func() map[string]string { return ends("applicant", "bureau_report") })
	evaluateEnds = sync.OnceValue(func() map[string]string {
		return ends("report", "device", "location", "fraud", "bank_summary")
	})
)

func ends(blocks ...string) map[string]string {
	paths := map[string]string{}
	var visit func(n *node)
	visit = func(n *node) {
		for name, child := range n.children {
			path := n.path + "." + name
			if _, several := paths[name]; several {
				path = ""
			}
			paths[name] = path
			visit(child)
		}
		for _, name := range n.lists {
			paths[name] = n.path + "." + name
		}
	}
	for _, block := range blocks {
		visit(roots()[block])
	}
	return paths
}

// evaluateTwins are the paths at which an evaluate request has what a decision
// request has under applicant.
var evaluateTwins = sync.OnceValue(func() map[string]string {
	twins := map[string]string{}
	for path, to := range canonicals {
		if !strings.HasPrefix(path, "applicant.") {
			continue
		}
		for other, same := range canonicals {
			if strings.HasPrefix(other, "report.") && same.name == to.name {
				twins[path] = other
			}
		}
	}
	return twins
})

// unknown carries a nested value that the catalogue does not know, because a
// policy may declare it, and says that nothing else will read it. n is the
// known object that the one around the value is, or was probably meant to be.
func (r *reader) unknown(v wire.Value, n *node, base, name string) {
	path := join(base, name)
	declared, isInput := r.opt.Inputs[path]
	switch {
	case isInput:
		r.input(v, path, declared)
	case path == "":
		r.ignored(v, hint{})
	case lists[path]: // package report reads it
	case v.Kind() == wire.Object:
		r.unknownObject(v, n, base, name)
	case r.quiet:
	default:
		r.carry(v, path, r.near(n, base, name))
	}
}

// unknownObject says what it must of each member of an object that is not known,
// or of the object itself when it has none.
func (r *reader) unknownObject(v wire.Value, n *node, base, name string) {
	inner, empty := r.guess(n, name), true
	for member, value := range v.Members() {
		if value.Given() {
			empty = false
			r.unknown(value, inner, join(base, name), member)
		}
	}
	if empty {
		r.ignored(v, r.near(n, base, name))
	}
}

// ignored says that a value was not read.
func (r *reader) ignored(v wire.Value, h hint) {
	if !r.quiet {
		r.warnUnknown(v, textNotRead, h)
	}
}

// carry keeps a value that nothing reads, where a policy could come to.
func (r *reader) carry(v wire.Value, path string, h hint) {
	val, ok := rule.ReadValue(v)
	if !ok || len(val.Text()) > maxText || !field.Declarable(path) || r.carried == maxCarried {
		r.ignored(v, h)
		return
	}
	r.carried++
	r.app.Facts.Set(path, val)
	r.warnUnknown(v, textCarried, h)
}
