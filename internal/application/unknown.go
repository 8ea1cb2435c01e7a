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

// Texts of warnings about unknown members, without hints.
const (
	textNoMember = "is not a member of this request and was not read"
	textNotRead  = "is not a known field and was not read"
	textCarried  = "is not a known field; a policy can read it if it declares the path in its inputs"
)

// hint suggests a known name for an unknown one.
type hint struct {
	nearest  string
	caseOnly bool   // the names differ only in case
	beside   string // the object that wrongly contains the member; it belongs beside it
}

// warnUnknown warns that a member is not known, with the hint.
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

// unknownMember warns that a top-level member is not known.
func (r *reader) unknownMember(v wire.Value, name string, known []string) {
	other, belongs := "", false
	switch {
	case r.app.Endpoint == Decisions && slices.Contains(evaluateMembers, name):
		other, belongs = "POST /v1/evaluate", true
	case r.app.Endpoint == Evaluate && slices.Contains(decisionMembers, name):
		other, belongs = "POST /v1/decisions", true
	}
	if belongs {
		r.warnings.Add(v.Pointer(), fault.CodeUnknownField,
			"is a member of %s and not of this request; it was not read", other)
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

// full reports whether the list of warnings is full. Further ones are only counted,
// so no work needs to go into their text.
func (r *reader) full() bool { return r.warnings.Len() >= fault.MaxItems }

// maxSearches limits the full searches for similar names in one request, so that a
// hostile body cannot cause one for each of its members.
const maxSearches = 20

// shortName is the length up to which a name must share its first letter with a
// suggestion: in a short name a few changed letters change most of it.
const shortName = 4

// search looks for the known name that was probably meant. It always finds synonyms
// and names that differ only in case; after maxSearches it finds no others.
func (r *reader) search(path, name string, known []string) hint {
	if synonym := synonyms[path+"."+name]; slices.Contains(known, synonym) {
		return hint{nearest: synonym}
	}
	if rest, ok := strings.CutPrefix(name, "bureau_"); ok && path == "bureau_report" && slices.Contains(known, rest) {
		return hint{nearest: rest} // the canonical name of the fact
	}
	r.searched++
	near, caseOnly := fault.Meant(name, known, r.searched > maxSearches)
	if !caseOnly && near != "" && len(name) <= shortName && near[0] != name[0] {
		return hint{} // for example, "name" is not a misspelt "age"
	}
	return hint{nearest: near, caseOnly: caseOnly}
}

// near suggests what a member of the object at base was probably meant to be. n is
// the known object at base, or the one that base was probably meant to be; nil when
// there is none.
func (r *reader) near(n *node, base, name string) hint {
	if r.full() {
		return hint{}
	}
	if twin := evaluateTwins()[base+"."+name]; twin != "" && r.app.Endpoint == Evaluate {
		return hint{nearest: twin}
	}
	var h hint
	if n != nil {
		if n.path != base && n.has(name) { // only the enclosing object is misspelt
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

// elsewhere returns the path of a member that was sent in the wrong object, "" if
// no path has its name.
func (r *reader) elsewhere(name string) string {
	if path := elsewhere(r.app.Endpoint)[name]; path != "" {
		return path
	}
	if r.app.Endpoint == Evaluate {
		return misplaced[name]
	}
	return ""
}

// candidates returns the names that members of an object may have: those of the
// catalogue and those that the policy declares.
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

// guess returns the known object that an unknown one was probably meant to be, nil
// when there is none.
func (r *reader) guess(n *node, name string) *node {
	if n == nil || r.full() {
		return nil
	}
	h := r.search(n.path, name, n.names)
	return n.children[h.nearest]
}

// hintEntries adds suggestions to the warnings about unknown members of accounts,
// enquiries and transactions, starting at the warning with index from.
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

// elsewhere returns the paths of an endpoint's request by their last segment, to
// suggest a path for a member in the wrong object. A segment that ends several
// paths maps to "".
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

// evaluateTwins maps paths under applicant of a decision request to the paths of
// the same facts in an evaluate request.
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

// unknown keeps a nested value that the catalogue does not know, because a policy
// may declare it, and warns that nothing else reads it. n is the known enclosing
// object, or the one that the enclosing object was probably meant to be.
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

// unknownObject handles each member of an unknown object, or warns about the object
// itself if it is empty.
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

// ignored warns that a value was not read.
func (r *reader) ignored(v wire.Value, h hint) {
	if !r.quiet {
		r.warnUnknown(v, textNotRead, h)
	}
}

// carry keeps an unknown value as a fact if a policy could declare its path;
// otherwise it warns that the value was not read.
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
