package generate

import (
	"slices"
	"strings"
	"time"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/policytest"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// member is one member of a request that the search may change.
type member struct {
	path   []string
	values []rule.Value // values[0] means that the member is absent
	facts  []string     // the facts that get their values from it
	blocks []string     // the facts that it can change together with other members of its block
	scale  rule.Number  // the value sent is the fact multiplied by scale: 100 for a percentage
	stated bool         // the service finds the fact, so that a case states it beside the application
}

// request is one kind of request with the members that matter to a policy.
type request struct {
	supply  rule.Supply
	members []member
	fixed   []sent // members that every request of this kind has
}

// sent is one member with its value.
type sent struct {
	path  []string
	value rule.Value
}

// candidate is a request with an index of a value for each of its members.
type candidate struct {
	request *request
	at      []uint16
}

func (c candidate) clone() candidate { return candidate{c.request, slices.Clone(c.at)} }

func (c candidate) with(member, value int) candidate {
	c = c.clone()
	c.at[member] = uint16(value)
	return c
}

// key identifies a candidate.
func (c candidate) key() string {
	var b strings.Builder
	b.WriteByte(byte(c.request.supply))
	for _, i := range c.at {
		b.WriteByte(byte(i >> 8))
		b.WriteByte(byte(i))
	}
	return b.String()
}

// stated returns the facts that the case states in addition to the application.
func (c candidate) stated() (list []rule.NamedValue) {
	for i := range c.request.members {
		if m := &c.request.members[i]; m.stated && c.at[i] > 0 {
			list = append(list, rule.NamedValue{Name: m.facts[0], Value: m.values[c.at[i]]})
		}
	}
	return list
}

// body returns the request as JSON.
func (c candidate) body() []byte {
	list := slices.Clone(c.request.fixed)
	for i := range c.request.members {
		if m := &c.request.members[i]; c.at[i] > 0 && !m.stated {
			list = append(list, sent{m.path, m.values[c.at[i]]})
		}
	}
	return bodyOf(list)
}

// bodyOf returns an object with the members at their paths.
func bodyOf(list []sent) []byte {
	slices.SortStableFunc(list, func(x, y sent) int { return slices.Compare(x.path, y.path) })
	var w wire.Writer
	writeObject(&w, list, 0)
	return w.Buf
}

// writeObject writes the members whose paths are equal up to depth as an object.
func writeObject(w *wire.Writer, list []sent, depth int) {
	w.Object()
	for len(list) > 0 {
		name := list[0].path[depth]
		n := 1
		for n < len(list) && list[n].path[depth] == name {
			n++
		}
		w.Name(name)
		if len(list[0].path) == depth+1 {
			list[0].value.Write(w)
		} else {
			writeObject(w, list[:n], depth+1)
		}
		list = list[n:]
	}
	w.EndObject()
}

// bureau is the bureau of the generated evaluate requests.
const bureau = "cibil"

// segments returns the path of a raw field in a body. The report is below the name
// of its bureau.
func segments(name string) []string {
	path := strings.Split(name, ".")
	if path[0] == "report" {
		path = slices.Insert(path, 1, bureau)
	}
	return path
}

// prober finds out which member of a request gives a fact its value.
type prober struct {
	coverage *Coverage
	limits   *thresholds
	decision engine.Decision
}

// requests returns the two kinds of requests with the members that a policy reads.
func (p *prober) requests() []*request {
	decisions := &request{supply: rule.FromDecisions}
	evaluate := &request{supply: rule.FromEvaluate, fixed: []sent{{[]string{"bureau"}, rule.Str(bureau)}}}
	list := []*request{decisions, evaluate}
	for _, r := range list {
		if p.coverage.subject.Plan.UsesOwn() { // a request that names nobody is declined
			r.fixed = append(r.fixed, sent{[]string{"applicant", "id"}, rule.Str("A-1001")})
		}
		for _, fact := range p.limits.facts {
			p.addFact(r, fact)
		}
		slices.SortFunc(r.members, func(x, y member) int { return slices.Compare(x.path, y.path) })
	}
	return list
}

// scorePath returns the path of the bureau score in a request.
func (r *request) scorePath() string {
	if r.supply == rule.FromDecisions {
		return "bureau_report.score"
	}
	return "report.scoreData.score"
}

// addFact adds the member that gives a fact its value, if there is one.
func (p *prober) addFact(r *request, fact string) {
	d, ok := domainOf(p.coverage.subject.Policy, fact)
	if !ok {
		return
	}
	values := d.values(p.limits.of[fact])
	if id, known := field.Catalogue().Lookup(fact); known && policytest.IsServiceFact(fact) {
		if field.Catalogue().Field(id).Supply&r.supply != 0 {
			r.add([]string{policytest.FactsSection, fact}, fact, 1, values).stated = true
		}
		return
	}
	if fact == field.BureauIsNTC { // a code in place of a score says that there is no score
		r.add(segments(r.scorePath()), fact, 1, []rule.Value{rule.Num(-rule.One)})
		return
	}
	for _, path := range p.paths(r, fact, d.typ) {
		for _, scale := range []rule.Number{1, 100} {
			if scale > 1 && d.typ != rule.NumberType {
				continue
			}
			if p.gives(r, path, fact, scale, values) {
				r.add(segments(path), fact, scale, values)
				return
			}
		}
	}
	if block, ok := blocks[d.group]; ok && r.supply == rule.FromEvaluate {
		r.addBlock(block, fact)
	}
}

// blocks has the groups of raw fields from which the facts of a group are derived.
var blocks = map[string]string{"device": "device.*", "location": "location.*", "bank": "bank_summary.*"}

// The values that are tried for the members of a block whose effect is not known.
var (
	blockNumbers = []int64{0, 1, 6, 10, 30, 90, 400, 5_000, 50_000}
	blockTexts   = map[string]rule.Value{
		"location.declared_pincode": rule.Str("400001"), "location.ip": rule.Str("49.36.0.1"),
	}
)

// addBlock adds every member of a block, for a fact that is derived from several of
// them.
func (r *request) addBlock(group, fact string) {
	c := field.Catalogue()
	for id := range rule.FieldID(c.Len()) {
		f := c.Field(id)
		if f.Group != group || f.Supply&r.supply == 0 {
			continue
		}
		var values []rule.Value
		switch f.Type {
		case rule.NumberType:
			for _, n := range blockNumbers {
				if x := rule.Int(n); (!f.BoundedBelow || x >= f.Min) && (!f.BoundedAbove || x <= f.Max) {
					values = append(values, rule.Num(x))
				}
			}
		case rule.BoolType:
			values = []rule.Value{rule.Bool(false), rule.Bool(true)}
		default:
			if v, ok := blockTexts[f.Name]; ok {
				values = []rule.Value{v}
			}
		}
		if len(values) > 0 {
			m := r.add(segments(f.Name), "", 1, values)
			m.blocks = append(m.blocks, fact)
		}
	}
}

// add adds the values of a fact to the member at a path.
func (r *request) add(path []string, fact string, scale rule.Number, values []rule.Value) *member {
	at := slices.IndexFunc(r.members, func(m member) bool { return slices.Equal(m.path, path) })
	if at < 0 {
		at = len(r.members)
		r.members = append(r.members, member{path: path, scale: scale, values: []rule.Value{{}}})
	}
	m := &r.members[at]
	if fact != "" {
		m.facts = append(m.facts, fact)
	}
	for _, v := range values {
		if scale > 1 {
			v = rule.Num(v.Number() * scale)
		}
		if !slices.Contains(m.values, v) {
			m.values = append(m.values, v)
		}
	}
	return m
}

// paths lists the raw paths that might give a fact its value, the likely ones first.
func (p *prober) paths(r *request, fact string, typ rule.Type) (list []string) {
	if strings.Contains(fact, ".") {
		return []string{fact}
	}
	if path, ok := field.InReport(fact); ok && r.supply == rule.FromDecisions {
		list = append(list, path)
	}
	c := field.Catalogue()
	for id := range rule.FieldID(c.Len()) {
		f := c.Field(id)
		if f.Type == typ && f.Supply&r.supply != 0 && strings.Contains(f.Name, ".") && !slices.Contains(list, f.Name) {
			list = append(list, f.Name)
		}
	}
	return list
}

// gives reports whether a member at a path gives the fact its value, for the first
// and the last of the values.
func (p *prober) gives(r *request, path, fact string, scale rule.Number, values []rule.Value) bool {
	if len(values) < 2 {
		return false
	}
	for _, v := range []rule.Value{values[0], values[len(values)-1]} {
		raw := v
		if scale > 1 {
			raw = rule.Num(v.Number() * scale)
		}
		list := append(slices.Clone(r.fixed), sent{segments(path), raw})
		if path != r.scorePath() {
			list = append(list, sent{segments(r.scorePath()), rule.Num(rule.Int(700))})
		}
		body, err := wire.Parse(bodyOf(list))
		if err != nil {
			return false
		}
		app, err := p.coverage.subject.Decide(body, time.Time{}, &p.decision)
		if err != nil || app.Facts.Get(fact) != v {
			return false
		}
	}
	return true
}

// changes reports whether a fact depends on the member.
func (m *member) changes(fact string) bool {
	return slices.Contains(m.facts, fact) || slices.Contains(m.blocks, fact)
}

// memberOf returns the index of the member that gives a fact its value, or -1.
func (r *request) memberOf(fact string) int {
	return slices.IndexFunc(r.members, func(m member) bool { return slices.Contains(m.facts, fact) })
}

// index returns the index of the value to send for a fact's value, and adds the
// value if it is new.
func (m *member) index(fact string, v rule.Value) int {
	switch {
	case v.Type() == rule.Absent:
		return 0
	case fact == field.BureauIsNTC:
		if v.IsTrue() {
			v = rule.Num(-rule.One)
			break
		}
		return -1 // any score will do
	case m.scale > 1:
		v = rule.Num(v.Number() * m.scale)
	}
	if at := slices.Index(m.values, v); at >= 0 {
		return at
	}
	m.values = append(m.values, v)
	return len(m.values) - 1
}
