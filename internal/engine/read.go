package engine

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// The limits of one policy. They are far beyond what any lender maintains, and
// they bound the work for a hostile policy.
const (
	maxKnockouts   = 10_000
	maxAdjustments = 1_000
	maxTerms       = 100
	maxRequired    = 100
	maxInputs      = 500
	maxText        = 500
	maxCode        = 64
)

// The following functions check the spelling of a policy's own names. They use no regular expressions, because a
// policy has hundreds of names and reading a policy must stay cheap.

func isID(s string) bool {
	return s != "" && isLetter(s[0]) && hasOnly(s, 64, func(c byte) bool {
		return isLetter(c) || isDigit(c) || c == '_' || c == '.' || c == '-'
	})
}

func isCode(s string) bool {
	return s != "" && isCapital(s[0]) &&
		hasOnly(s, maxCode, func(c byte) bool { return isCapital(c) || isDigit(c) || c == '_' })
}

func isGrade(s string) bool {
	return s != "" && isCapital(s[0]) && hasOnly(s, 8, func(c byte) bool {
		return isCapital(c) || isDigit(c) || c == '+' || c == '-'
	})
}

func hasOnly(s string, most int, allowed func(byte) bool) bool {
	for i := range len(s) {
		if !allowed(s[i]) {
			return false
		}
	}
	return len(s) <= most
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLetter(c byte) bool  { return isCapital(c) || 'a' <= c && c <= 'z' }
func isDigit(c byte) bool   { return '0' <= c && c <= '9' }

// Sources has the lookups that reading a policy needs.
type Sources struct {
	Catalogue *rule.Catalogue
	// Scorecard returns a stored scorecard by id. It is nil if there are no
	// stored scorecards.
	Scorecard func(id string) (*Scorecard, bool)
	// List returns the type of the values in a stored list. It returns false if there is no list of this name. If List
	// is nil, as for a stored policy, every list is assumed to exist.
	List func(name string) (rule.Type, bool)
	// Table returns a stored table with all its columns. It returns false if there is no table of this name. If Table
	// is nil, as for a stored policy, the policy can use the tables that its document describes.
	Table func(name string) (*rule.Table, bool)
	// Check is called before each knockout, adjustment and guarantee. If it returns an error, reading stops. If Check
	// is nil, reading is never interrupted.
	Check func() error
	// Unnamed permits a document without a name, such as one that Policy.Unnamed returned.
	Unnamed bool
}

// ReadPolicy reads and checks a policy document. For an invalid document it
// returns a *fault.Error with the first fault.MaxItems of its faults. If
// src.Check returns an error, ReadPolicy returns that error.
func ReadPolicy(v wire.Value, src Sources) (*Policy, error) {
	r := policyReader{src: src, policy: &Policy{}, ids: make(map[string]bool, 64)}
	r.scope = rule.Scope{Catalogue: src.Catalogue, List: src.List}
	r.document(v)
	if r.interruption != nil {
		return nil, r.interruption
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return r.policy, nil
}

// ParsePolicy parses a policy and reads it as ReadPolicy does.
func ParsePolicy(data []byte, src Sources) (*Policy, error) {
	v, err := wire.Parse(data)
	if err != nil {
		return nil, err
	}
	return ReadPolicy(v, src)
}

type policyReader struct {
	src    Sources
	scope  rule.Scope
	policy *Policy
	faults fault.List
	ids    map[string]bool // rule ids, shared by knockouts, adjustments and limit caps

	tabled       bool  // the policy names a column of a table
	interruption error // the error of src.Check
}

// interrupted calls src.Check and reports whether reading must stop.
func (r *policyReader) interrupted() bool {
	if r.src.Check != nil && r.interruption == nil {
		r.interruption = r.src.Check()
	}
	return r.interruption != nil
}

// readOnly lists the members that the service adds to a stored document. A
// request may send them back; they are ignored.
var readOnly = []string{
	"id", "version", "status", "checksum", "feature_names", "inherited", "base", "changes", "findings",
	"guarantee_proofs",
	"created_at", "created_by", "updated_at", "updated_by", "activated_at", "activated_by", "retired_at", "archived_at",
}

// The two settings of a policy's features. With featuresOnRequest, the default, features are computed only for
// requests that ask for them. With featuresAuto, they are computed for every request.
const (
	featuresOnRequest = "on_request"
	featuresAuto      = "auto"
)

func (r *policyReader) document(v wire.Value) {
	form := wire.NewForm(v, &r.faults)
	f := &form
	if v.Kind() != wire.Object {
		return
	}

	p := r.policy
	p.Key = "default"
	if key, ok := f.Text("policy_key", 64); ok {
		p.Key = key
		if !field.IsPolicyKey(key) {
			f.Fail("policy_key", fault.CodeInvalidField,
				"must be 1 to 64 lower-case letters, digits, - and _, and not begin with - or _")
		}
	}
	if !r.src.Unnamed {
		f.Require("name", "a name people will recognise the policy by")
	}
	if name, ok := f.Text("name", 120); ok {
		p.Name = name
		if strings.TrimSpace(name) == "" {
			f.Fail("name", fault.CodeRequired, "must not be empty")
		}
	}

	p.Semantics = FirstSemantics
	if n, ok := f.Decimal("semantics", 0, FirstSemantics, NewestSemantics); ok {
		p.Semantics = int(n)
	} else if f.Get("semantics").Given() {
		p.Semantics = NewestSemantics // so that members of newer semantics cause no further faults
	}

	p.FeaturesAuto = f.Choice("features", 0, featuresOnRequest, featuresAuto) == 1
	p.IncludeDefaults = f.Bool("include_defaults", true)
	p.AllowGaps = f.Bool("allow_gaps", false)
	r.scope.Semantics = p.Semantics

	r.affordability(f)
	r.people(f)
	r.exposure(f)
	r.inputs(f)
	r.tables(f)
	r.required(f)
	r.knockouts(f)
	r.adjustments(f)
	r.scorecard(f)
	r.bands(f)
	r.limitCaps(f)
	r.charges(f)
	r.terms(f)

	p.LimitStepPaise = 1000_00
	if step, ok := f.Decimal("limit_step", 2, 1_00, 10_000_000_00); ok {
		p.LimitStepPaise = step
	}
	p.OfferValidityDays = 3
	if days, ok := f.Decimal("offer_validity_days", 0, 1, 365); ok {
		p.OfferValidityDays = int(days)
	}

	r.actionable(f)
	guarantees := f.Array(sectionGuarantees, maxGuarantees)
	f.Known(readOnly...)
	f.Also(memberPatch)
	f.Done()
	if r.tabled && r.faults.Len() == 0 {
		p.Tables = p.usedTables(r.scope.Table)
	}
	r.guarantees(guarantees)
}

func (r *policyReader) inputs(f *wire.Form) {
	r.scope.Inputs = map[string]rule.Type{}
	for _, v := range f.Array("inputs", maxInputs).Elements() {
		form := wire.NewForm(v, &r.faults)
		in := &form
		var input Input
		in.Require("name", "the request path")
		name, ok := in.Text("name", 128)
		input.Name = name
		if ok && !field.Declarable(input.Name) {
			in.Fail("name", fault.CodeInvalidField,
				"must begin with \"applicant.\" or \"report.\", have at most 8 segments of letters, digits and _ "+
					"that begin with a letter, and not be in the catalogue")
		}
		if _, dup := r.scope.Inputs[input.Name]; ok && dup {
			in.Fail("name", fault.CodeDuplicate, "is declared twice")
		}
		in.Require("type", "number, string or boolean")
		choice := in.Choice("type", 0, rule.NumberType.String(), rule.StringType.String(), rule.BoolType.String())
		input.Type = rule.NumberType + rule.Type(choice)
		input.Meaning, _ = in.Text("meaning", maxText)
		in.Done()
		if ok {
			r.scope.Inputs[input.Name] = input.Type
			r.policy.Inputs = append(r.policy.Inputs, input)
		}
	}
}

func (r *policyReader) required(f *wire.Form) {
	for _, v := range f.Array("required_fields", maxRequired).Elements() {
		req := Requirement{Text: v.Text()}
		if v.Kind() != wire.String {
			r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a field name, or several joined by |")
			continue
		}
		for _, name := range strings.Split(v.Text(), "|") {
			ref, detail := r.scope.Resolve(name, r.faults.SkipHints())
			if detail != "" {
				r.faults.Add(v.Pointer(), rule.UnknownCode(name), "%s", detail)
				continue
			}
			req.Any = append(req.Any, ref)
		}
		r.policy.Required = append(r.policy.Required, req)
	}
}

// id reads the id of an entry and adds it to seen. It reports a fault if seen already has the id.
func (r *policyReader) id(f *wire.Form, seen map[string]bool) string {
	f.Require("id", "a unique name")
	id, ok := f.Text("id", 64)
	switch {
	case !ok:
		return ""
	case !isID(id):
		f.Fail("id", fault.CodeInvalidField,
			`must start with a letter and contain only letters, digits, "_", "." and "-"`)
	case seen[id]:
		f.Fail("id", fault.CodeDuplicate, "is used twice; ids are unique")
	}
	seen[id] = true
	return id
}

func readReasonCode(f *wire.Form) string {
	code, ok := f.Text("reason_code", 64)
	if ok && !isCode(code) {
		f.Fail("reason_code", fault.CodeInvalidField, "must be capital letters, digits and _, starting with a letter")
	}
	return code
}

// condition reads a required condition_ast.
func (r *policyReader) condition(f *wire.Form, what string, stage2 bool) rule.Condition {
	if !f.Require("condition_ast", what) {
		return rule.Condition{}
	}
	scope := r.scope
	scope.Stage2 = stage2
	return rule.ReadCondition(f.Get("condition_ast"), &scope, &r.faults)
}

func (r *policyReader) adjustments(f *wire.Form) {
	for _, v := range f.Array("adjustments", maxAdjustments).Elements() {
		if r.interrupted() {
			return
		}
		form := wire.NewForm(v, &r.faults)
		a := &form
		adj := Adjustment{ID: r.id(a, r.ids)}
		a.Require("delta", "the points to add")
		adj.Delta, _ = readPoints(a, "delta")
		adj.ReasonCode = readReasonCode(a)
		if adj.ReasonCode != "" && adj.Delta > 0 {
			a.Fail("reason_code", fault.CodeInvalidField,
				"is allowed only with a negative delta: gained points are not a reason")
		}
		adj.Condition = r.condition(a, "the condition under which it applies", false)
		if adj.ReasonCode == "" && adj.Delta < 0 {
			adj.ReasonCode = r.defaultReason(&adj.Condition)
		}
		a.Done()
		r.policy.Adjustments = append(r.policy.Adjustments, adj)
	}
}

func (r *policyReader) terms(f *wire.Form) {
	seen := map[string]bool{}
	for _, v := range f.Array("conditions", maxTerms).Elements() {
		form := wire.NewForm(v, &r.faults)
		t := &form
		var term Term
		t.Require("code", "a code for the condition")
		code, ok := t.Text("code", 64)
		if ok && !isCode(code) {
			t.Fail("code", fault.CodeInvalidField, "must be capital letters, digits and _, starting with a letter")
		}
		if ok && seen[code] {
			t.Fail("code", fault.CodeDuplicate, "is used twice")
		}
		seen[code] = true
		term.Code = code
		t.Require("text", "what the applicant must provide")
		if text, ok := t.Text("text", maxText); ok {
			term.Text = text
			if strings.TrimSpace(text) == "" {
				t.Fail("text", fault.CodeRequired, "must not be empty")
			}
		}
		term.Condition = r.condition(t, "the condition under which it is asked for", false)
		t.Done()
		r.policy.Terms = append(r.policy.Terms, term)
	}
}

// defaultActionable are the actionable fields of a policy that lists none. An applicant can change these fields.
// Declared income is not one of them, because applicants must not be advised to declare more.
var defaultActionable = []string{field.FOIR, field.RequestedAmount, field.RequestedTenureMonths, "enquiries_6m"}

func (r *policyReader) actionable(f *wire.Form) {
	list := f.Array("actionable_fields", maxRequired)
	if list.Kind() == wire.Missing {
		r.policy.Actionable = defaultActionable
		return
	}
	for _, v := range list.Elements() {
		name := v.Text()
		if _, detail := r.scope.Resolve(name, r.faults.SkipHints()); v.Kind() != wire.String || detail != "" {
			r.faults.Add(v.Pointer(), fault.CodeUnknownField, "must be the name of a known field")
			continue
		}
		if _, _, column := rule.ParseTableFact(name); column {
			r.faults.Add(v.Pointer(), fault.CodeInvalidField,
				"must be a field of the request, not the column of a table")
			continue
		}
		if name == field.MonthlyIncome {
			r.faults.Add(v.Pointer(), fault.CodeInvalidField,
				"must not be a declared income: applicants are not advised to raise it")
			continue
		}
		if !slices.Contains(r.policy.Actionable, name) {
			r.policy.Actionable = append(r.policy.Actionable, name)
		}
	}
}

// maxPoints bounds points and deltas, so that no sum of them can overflow.
const maxPoints = 1_000_000

// readPoints reads points or a delta with at most four decimals.
func readPoints(f *wire.Form, name string) (rule.Number, bool) {
	const scale = 10_000
	coef, ok := f.Decimal(name, 4, -maxPoints*scale, maxPoints*scale)
	return rule.Number(coef) * (rule.One / scale), ok
}
