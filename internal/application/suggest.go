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

// hint suggests a known name for an unknown one.
type hint struct {
	nearest  string
	caseOnly bool   // the names differ only in case
	beside   string // the object that contains the member by mistake; the member belongs beside that object
}

// suggester warns about members that are not known, and suggests the names that
// were probably meant.
type suggester struct {
	endpoint Endpoint
	inputs   map[string]rule.Type // the paths that the policy declares
	members  []string             // further top-level members that the caller reads itself
	warnings *fault.List          // warnings of the whole request
	hinted   fault.List           // the warnings that suggest a name
	searched int                  // number of members for which a similar known name was searched
}

// warn warns that a member is not known, with the hint. If the list of warnings is full, it only counts the warning,
// which needs no text.
func (s *suggester) warn(v wire.Value, text string, h hint) {
	if s.full() && h.nearest == "" {
		s.warnings.AddItem(fault.Item{})
		return
	}
	if h.beside != "" {
		text += "; it belongs beside " + h.beside
	}
	item := fault.Unknown(v.Pointer(), text, h.nearest, h.caseOnly)
	s.warnings.AddItem(item)
	if h.nearest != "" {
		s.hinted.AddItem(item)
	}
}

// warnMember warns that a top-level member is not known.
func (s *suggester) warnMember(v wire.Value, name string, known []string) {
	other, belongs := "", false
	switch {
	case s.endpoint == Decisions && slices.Contains(evaluateMembers, name):
		other, belongs = "POST /v1/evaluate", true
	case s.endpoint == Evaluate && slices.Contains(decisionMembers, name):
		other, belongs = "POST /v1/decisions", true
	}
	if belongs {
		s.warnings.Add(v.Pointer(), fault.CodeUnknownField,
			"is a member of %s and not of this request; it was not read", other)
		return
	}
	if s.full() {
		s.warnings.Add("", fault.CodeUnknownField, textNoMember) // the warning is only counted
		return
	}
	candidates := slices.Concat(known, s.members, []string{"policy_key", field.ApplicantRef})
	h := s.search("", name, candidates)
	if h.nearest == "" {
		h.nearest = s.elsewhere(name)
	}
	s.warn(v, textNoMember, h)
}

// full reports whether the list of warnings is full. Further warnings are only
// counted, so their text is not needed.
func (s *suggester) full() bool { return s.warnings.Len() >= fault.MaxItems }

// maxSearches limits the full searches for similar names in one request, so that a
// hostile body cannot cause a search for each of its members.
const maxSearches = 20

// shortName is the length up to which a name must have the same first letter as a
// suggestion, because a few changed letters are most of a short name.
const shortName = 4

// search returns a hint with the known name that was probably meant. It always
// finds synonyms and names that differ only in case. After maxSearches searches it
// finds no other names.
func (s *suggester) search(path, name string, known []string) hint {
	if synonym := synonyms[path+"."+name]; slices.Contains(known, synonym) {
		return hint{nearest: synonym}
	}
	if rest, ok := strings.CutPrefix(name, "bureau_"); ok && path == "bureau_report" && slices.Contains(known, rest) {
		return hint{nearest: rest} // name is the canonical name of the fact
	}
	s.searched++
	near, caseOnly := fault.Suggest(name, known, s.searched > maxSearches)
	if !caseOnly && near != "" && len(name) <= shortName && near[0] != name[0] {
		return hint{} // for example, "name" is not a misspelt "age"
	}
	return hint{nearest: near, caseOnly: caseOnly}
}

// near suggests a known name for the unknown member called name in the object at base. n is the known object at
// base, or the known object that base was probably meant to be. n is nil if there is no such object.
func (s *suggester) near(n *node, base, name string) hint {
	if s.full() {
		return hint{}
	}
	if twin := evaluateTwins()[base+"."+name]; twin != "" && s.endpoint == Evaluate {
		return hint{nearest: twin}
	}
	var h hint
	if n != nil {
		if n.path != base && n.has(name) { // only the enclosing object is misspelt
			return hint{nearest: n.path + "." + name}
		}
		h = s.search(n.path, name, s.candidates(n))
		if h.nearest != "" && n.path != base {
			return hint{nearest: n.path + "." + h.nearest}
		}
	}
	if h.nearest == "" {
		h.nearest = s.elsewhere(name)
		if i := strings.LastIndexByte(base, '.'); i > 0 && h.nearest == base[:i+1]+name {
			h.beside = base[i+1:]
		}
	}
	return h
}

// elsewhere returns the path of a member that was sent in the wrong object, or "" if no path has its name.
func (s *suggester) elsewhere(name string) string {
	if path := elsewhere(s.endpoint)[name]; path != "" {
		return path
	}
	if s.endpoint == Evaluate {
		return misplaced[name]
	}
	return ""
}

// candidates returns the names that members of an object may have: those of the
// catalogue and those that the policy declares.
func (s *suggester) candidates(n *node) []string {
	if len(s.inputs) == 0 {
		return n.names
	}
	list := slices.Clone(n.names)
	for path := range s.inputs {
		if rest, ok := strings.CutPrefix(path, n.path+"."); ok {
			segment, _, _ := strings.Cut(rest, ".")
			list = append(list, segment)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// guess returns the known object that the sender of an unknown object probably
// meant, or nil if there is none.
func (s *suggester) guess(n *node, name string) *node {
	if n == nil || s.full() {
		return nil
	}
	h := s.search(n.path, name, n.names)
	return n.children[h.nearest]
}

// hintEntries adds suggestions to the warnings about unknown members of accounts,
// enquiries and transactions, starting at the warning with the index "from".
func (s *suggester) hintEntries(from int) {
	items := s.warnings.Items()
	for i := from; i < len(items); i++ {
		item := &items[i]
		if item.Code != fault.CodeUnknownField {
			continue
		}
		list, names := "accounts", report.AccountNames()
		switch {
		case strings.HasPrefix(item.Pointer, "/bank_summary/"):
			list, names = "transactions", report.TransactionNames()
		case strings.Contains(item.Pointer, "/paymentHistory/"):
			list, names = "paymentHistory", report.MonthNames()
		case strings.Contains(item.Pointer, "/enquiries/"):
			list, names = "enquiries", report.EnquiryNames()
		}
		name := item.Pointer[strings.LastIndexByte(item.Pointer, '/')+1:]
		if item.Nearest == "" {
			h := s.search(list, name, names)
			*item = fault.Unknown(item.Pointer, item.Detail, h.nearest, h.caseOnly)
		}
		if item.Nearest != "" {
			s.hinted.AddItem(*item)
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

// evaluateTwins maps each "applicant." path of a decision request to the "report."
// path of the same fact in an evaluate request.
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
