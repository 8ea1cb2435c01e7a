package engine

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

const (
	maxFactors = 500
	maxBins    = 500
	maxWeight  = 100
	maxSpecial = 100 // largest number of special values of one bin
)

// ReadScorecard reads and checks a standalone scorecard document. For an
// invalid document it returns a *fault.Error with the first fault.MaxItems of
// its faults.
func ReadScorecard(v wire.Value, catalogue *rule.Catalogue) (*Scorecard, error) {
	var faults fault.List
	r := scorecardReader{scope: &rule.Scope{
		Catalogue: catalogue, Inputs: map[string]rule.Type{}, Semantics: NewestSemantics,
	}, faults: &faults}
	card := r.card(v)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return card, nil
}

func (r *policyReader) scorecard(f *wire.Form) {
	inline := f.Get("scorecard")
	id, referenced := f.Text("scorecard_id", 64)
	r.policy.ScorecardID = id
	switch {
	case inline.Given():
		// A stored document has both the card and the id of the card that it
		// was copied from. Use the card itself, so that the activated card is
		// the one that was tested even if the id now refers to another card.
		card := scorecardReader{scope: &r.scope, faults: &r.faults}
		r.policy.Scorecard = card.card(inline)
	case referenced:
		var card *Scorecard
		if r.src.Scorecard != nil {
			card, _ = r.src.Scorecard(id)
		}
		if card == nil {
			f.Fail("scorecard_id", fault.CodeUnknownField, "no scorecard has this id")
		} else if r.policy.Semantics == FirstSemantics {
			card = card.withFieldCodes(r.src.Catalogue)
		}
		r.policy.Scorecard = card
	default:
		f.Fail("scorecard", fault.CodeRequired, "is required unless scorecard_id is given")
	}
	if r.policy.Scorecard != nil {
		r.declareCardInputs(f, r.policy.Scorecard)
	}
}

// declareCardInputs adds the inputs that a scorecard declares to the policy, so
// that a card written for another policy can be used unchanged. It reports a
// fault if the policy cannot read a field of the card, or declares an input
// with another type.
func (r *policyReader) declareCardInputs(f *wire.Form, card *Scorecard) {
	for i := range card.Factors {
		ref := card.Factors[i].Field
		if _, detail := r.scope.Resolve(ref.Name, true); ref.Name != "" && ref.ID >= 0 && detail != "" {
			f.Fail(sectionScorecard, fault.CodeUnknownField, "the scorecard reads %s, which %s", ref.Name, detail)
		}
		if ref.Name == "" || ref.ID != rule.Undeclared || r.isColumn(f, ref) {
			continue
		}
		at := slices.IndexFunc(r.policy.Inputs, func(in Input) bool { return in.Name == ref.Name })
		switch {
		case at >= 0 && r.policy.Inputs[at].Type != ref.Type:
			f.Fail("inputs", fault.CodeWrongType, "the scorecard reads %s as a %s", ref.Name, ref.Type)
		case at < 0 && len(r.policy.Inputs) == maxInputs:
			f.Fail("inputs", fault.CodeTooMany,
				"there are more than %d inputs, including those of the scorecard", maxInputs)
			return
		case at < 0:
			r.policy.Inputs = append(r.policy.Inputs, Input{Name: ref.Name, Type: ref.Type})
		}
	}
}

// isColumn reports whether a factor's field is the column of a table. It adds a fault if the policy cannot read the
// column, or if the card states another type.
func (r *policyReader) isColumn(f *wire.Form, ref rule.Ref) bool {
	if _, _, ok := rule.ParseTableFact(ref.Name); !ok {
		return false
	}
	found, detail := r.scope.Resolve(ref.Name, true)
	switch {
	case detail != "":
		f.Fail(sectionScorecard, fault.CodeUnknownTable, "the scorecard reads %s, which %s", ref.Name, detail)
	case found.Type != ref.Type:
		f.Fail(sectionScorecard, fault.CodeWrongType, "the scorecard reads %s as a %s, but the column is a %s",
			ref.Name, ref.Type, found.Type)
	}
	return true
}

type scorecardReader struct {
	scope  *rule.Scope
	faults *fault.List
}

func (r *scorecardReader) card(v wire.Value) *Scorecard {
	form := wire.NewForm(v, r.faults)
	f := &form
	c := &Scorecard{MinScore: rule.Int(300), MaxScore: rule.Int(900)}
	c.Name, _ = f.Text("name", 120)
	f.Require("base_points", "the points everybody starts with")
	c.Base, _ = readPoints(f, "base_points")
	if n, ok := readPoints(f, "min_score"); ok {
		c.MinScore = n
	}
	if n, ok := readPoints(f, "max_score"); ok {
		c.MaxScore = n
	}
	if c.MinScore > c.MaxScore {
		f.Fail("max_score", fault.CodeOutOfRange, "must not be below min_score")
	}
	c.Scaling = r.scaling(f)
	f.Require("factors", "an array of factors; it may be empty")
	names := map[string]bool{"base": true, "clamp": true}
	factors := f.Array("factors", maxFactors)
	c.Factors = make([]Factor, 0, factors.Len())
	for _, e := range factors.Elements() {
		c.Factors = append(c.Factors, r.factor(e, names))
	}
	f.Known("id", "version", "status", "checksum", "created_at", "created_by", "max_points", "min_points")
	f.Done()
	return c
}

// scaling reads pdo, anchor_score and anchor_odds, which must be given all
// together or not at all. It returns nil if they are not given or invalid.
func (r *scorecardReader) scaling(f *wire.Form) *Scaling {
	pdo, hasPDO := f.Decimal("pdo", 4, 1, maxPoints*10_000)
	score, hasScore := f.Decimal("anchor_score", 4, -maxPoints*10_000, maxPoints*10_000)
	odds, hasOdds := f.Decimal("anchor_odds", 4, 1, maxPoints*10_000)
	if !hasPDO && !hasScore && !hasOdds {
		return nil
	}
	if !hasPDO || !hasScore || !hasOdds {
		if f.Get("pdo").Given() && f.Get("anchor_score").Given() && f.Get("anchor_odds").Given() {
			return nil // all three are given but one is invalid, which has already been reported
		}
		f.Fail("pdo", fault.CodeRequired, "pdo, anchor_score and anchor_odds belong together: give all three or none")
		return nil
	}
	const unit = rule.One / 10_000
	return &Scaling{
		PDO:         rule.Number(pdo) * unit,
		AnchorScore: rule.Number(score) * unit,
		AnchorOdds:  rule.Number(odds) * unit,
	}
}

func (r *scorecardReader) factor(v wire.Value, names map[string]bool) Factor {
	form := wire.NewForm(v, r.faults)
	f := &form
	out := Factor{Weight: rule.One}
	f.Require("factor", "the factor's name")
	if name, ok := f.Text("factor", 64); ok {
		switch {
		case !isID(name):
			f.Fail("factor", fault.CodeInvalidField,
				`must start with a letter and contain only letters, digits, "_", "." and "-"`)
		case names[name]:
			f.Fail("factor", fault.CodeDuplicate, `is used twice, or is reserved ("base", "clamp")`)
		}
		names[name] = true
		out.Name = name
	}
	f.Require("field", "the field that earns the points")
	if name, ok := f.Text("field", 128); ok {
		out.Field, out.Typed = r.field(f, name)
	}
	if label, ok := f.Text("label", 120); ok {
		out.Label = label
		if strings.TrimSpace(label) == "" {
			f.Fail("label", fault.CodeRequired, "must not be empty")
		}
	}
	out.ReasonCode = readReasonCode(f)
	if out.ReasonCode == "" && out.Field.Name != "" && out.Field.ID >= 0 && r.scope.Semantics == FirstSemantics {
		out.ReasonCode = r.scope.Catalogue.Field(out.Field.ID).ReasonCode
	}
	if when := f.Get("when"); when.Given() {
		c := rule.ReadCondition(when, r.scope, r.faults)
		out.When = &c
	}
	out.Missing, out.HasMissing = readPoints(f, "missing_points")
	if w, ok := f.Decimal("weight", 4, 0, maxWeight*10_000); ok {
		out.Weight = rule.Number(w) * (rule.One / 10_000)
	}
	f.Require("bins", "the points for each range or set of values")
	bins := f.Array("bins", maxBins)
	out.Bins = make([]Bin, 0, bins.Len())
	readable := make([]bool, 0, bins.Len())
	for _, e := range bins.Elements() {
		b, ok := r.bin(e, &out)
		out.Bins, readable = append(out.Bins, b), append(readable, ok)
	}
	f.Done()
	if bins.Given() && out.Field.Name != "" {
		r.checkCoverage(bins, &out, readable)
	}
	if r.scope.Semantics > FirstSemantics {
		out.DefaultCodes(r.scope.Catalogue)
	}
	return out
}

// field resolves the name of a factor's field. A standalone card has no inputs section, so a factor may state the type
// of a request path that is not in the catalogue. It may also state the type of the column of a table; that type is
// checked when a policy uses the card.
func (r *scorecardReader) field(f *wire.Form, name string) (ref rule.Ref, typed bool) {
	given := f.Get("type").Given()
	choice := f.Choice("type", 0, rule.NumberType.String(), rule.StringType.String(), rule.BoolType.String())
	declared := rule.NumberType + rule.Type(choice)
	if known, isInput := r.scope.Inputs[name]; given && field.Declarable(name) {
		if isInput && known != declared {
			f.Fail("type", fault.CodeWrongType, "the field is already declared as a %s", known)
		}
		r.scope.Inputs[name] = declared
		return rule.Ref{Name: name, ID: rule.Undeclared, Type: declared}, true
	}
	_, _, column := rule.ParseTableFact(name)
	if column && given && r.scope.Table == nil {
		return rule.Ref{Name: name, ID: rule.Undeclared, Type: declared}, true
	}
	ref, detail := r.scope.Resolve(name, r.faults.SkipHints())
	if detail != "" {
		if column && r.scope.Table == nil {
			detail = "is the column of a table; state its type in \"type\""
		}
		f.Fail("field", rule.UnknownCode(name), "%s", detail)
	} else if given && declared != ref.Type {
		f.Fail("type", fault.CodeWrongType, "the field is a %s", ref.Type)
	}
	return ref, column && given
}

// binMembers are the members of all kinds of bins. Each kind of bin uses some
// of them.
var binMembers = []string{"gte", "lt", "in", "else", "special"}

// bin reads a bin. readable reports whether its values are known, even if it
// has other faults.
func (r *scorecardReader) bin(v wire.Value, factor *Factor) (b Bin, readable bool) {
	form := wire.NewForm(v, r.faults)
	f := &form
	f.Require("points", "the points of this bin")
	b.Points, _ = readPoints(f, "points")
	b.ReasonCode = readReasonCode(f)
	if woe, ok := f.Decimal("woe", 6, -100*int64(rule.One), 100*int64(rule.One)); ok {
		b.WOE, b.HasWOE = rule.Number(woe), true
	}
	before := r.faults.Len()
	switch {
	case factor.Field.Name == "":
		// Without a valid field the kind of the bin is unknown, so accept the
		// members of every kind.
		f.Known("gte", "lt", "special", "in", "else")
	case factor.Field.Type == rule.NumberType:
		const most = int64(rule.MaxNumber)
		if n, ok := f.Decimal("gte", rule.Places, -most, most); ok {
			b.Min, b.HasMin = rule.Number(n), true
		}
		if n, ok := f.Decimal("lt", rule.Places, -most, most); ok {
			b.Max, b.HasMax = rule.Number(n), true
		}
		r.special(f, &b)
	default:
		b.Else = f.Bool("else", false)
		list := f.Array("in", rule.MaxValues)
		for _, e := range list.Elements() {
			val, ok := rule.ReadValue(e)
			if !ok || val.Type() != factor.Field.Type {
				r.faults.Add(e.Pointer(), fault.CodeWrongType, "must be a %s, as %s is", factor.Field.Type,
					factor.Field.Name)
				continue
			}
			if detail := r.scope.Outside(factor.Field, val); factor.Field.Name != "" && detail != "" {
				r.faults.Add(e.Pointer(), fault.CodeOutOfRange, "%s", detail)
			}
			b.In = append(b.In, val)
		}
		if b.Else == list.Given() || !b.Else && list.Len() == 0 {
			r.faults.Add(v.Pointer(), fault.CodeInvalidField,
				`needs either "in", with at least one value, or "else": true`)
		}
	}
	f.OrNull(binMembers)
	readable = v.Kind() == wire.Object && r.faults.Len() == before
	f.Done()
	return b, readable
}

// special reads the numbers of a bin for values with a special meaning, such as
// -1 for "never had a loan".
func (r *scorecardReader) special(f *wire.Form, b *Bin) {
	list := f.Array("special", maxSpecial)
	if !list.Given() {
		return
	}
	if list.Kind() == wire.Array && list.Len() == 0 {
		f.Fail("special", fault.CodeRequired, "needs at least one number")
	}
	if b.HasMin || b.HasMax {
		f.Fail("special", fault.CodeInvalidField,
			`cannot be combined with "gte" and "lt"; give either special values or a range`)
	}
	for _, e := range list.Elements() {
		n, exact, ok := rule.ParseNumber(e.Text())
		if e.Kind() != wire.Number || !ok || !exact {
			r.faults.Add(e.Pointer(), fault.CodeWrongType, "must be a number with at most %d decimals", rule.Places)
			continue
		}
		b.Special = append(b.Special, n)
	}
	slices.Sort(b.Special)
}

// checkSpecials rejects a special value that is listed twice, and a bin of special
// values before a range.
func (r *scorecardReader) checkSpecials(bins wire.Value, f *Factor) {
	seen := map[rule.Number]bool{}
	ranges := len(f.Ranges())
	for i := range f.Bins {
		for _, n := range f.Bins[i].Special {
			if seen[n] {
				r.faults.Add(elementPointer(bins, i), fault.CodeBinOverlap, "the special value %s is listed twice", n)
			}
			seen[n] = true
		}
		if i < ranges && len(f.Bins[i].Special) > 0 {
			r.faults.Add(elementPointer(bins, i), fault.CodeInvalidField,
				"bins of special values come after all ranges")
		}
	}
}

// checkCoverage rejects the bins of a factor if a value of the field is in no bin or in two bins. So every value
// gets points exactly once. It skips bins that could not be read.
func (r *scorecardReader) checkCoverage(bins wire.Value, f *Factor, readable []bool) {
	if len(f.Bins) == 0 {
		r.faults.Add(bins.Pointer(), fault.CodeRequired, "needs at least one bin")
		return
	}
	if f.Field.Type != rule.NumberType {
		r.checkCategories(bins, f, readable)
		return
	}
	low, high := -rule.MaxNumber, rule.MaxNumber
	if f.Field.ID >= 0 {
		def := r.scope.Catalogue.Field(f.Field.ID)
		if def.BoundedBelow {
			low = def.Min
		}
		if def.BoundedAbove {
			high = def.Max
		}
	}
	r.checkSpecials(bins, f)
	ranges := f.Ranges()
	if len(ranges) == 0 {
		r.faults.Add(bins.Pointer(), fault.CodeBinGap, "numbers other than the special values have no bin; add a range")
		return
	}
	for i := range ranges {
		readable[i] = readable[i] && len(ranges[i].Special) == 0
	}
	first, last := ranges[0], ranges[len(ranges)-1]
	if readable[0] && first.HasMin && first.Min > low {
		r.faults.Add(elementPointer(bins, 0), fault.CodeBinGap, "values from %s up to %s have no bin", low, first.Min)
	}
	if readable[len(ranges)-1] && last.HasMax && last.Max <= high {
		r.faults.Add(bins.Pointer(), fault.CodeBinGap, "values from %s on have no bin", last.Max)
	}
	for i := range ranges {
		b := &ranges[i]
		if readable[i] && b.HasMin && b.HasMax && b.Min >= b.Max {
			r.faults.Add(elementPointer(bins, i), fault.CodeOutOfRange, `is empty: "gte" must be below "lt"`)
		}
		if i == 0 || !readable[i-1] || !readable[i] {
			continue
		}
		switch prev := &ranges[i-1]; {
		case !prev.HasMax || !b.HasMin:
			r.faults.Add(elementPointer(bins, i), fault.CodeBinOverlap,
				`every bin but the first needs "gte", and every bin but the last needs "lt"`)
		case b.Min > prev.Max:
			r.faults.Add(elementPointer(bins, i), fault.CodeBinGap,
				"values from %s up to %s have no bin", prev.Max, b.Min)
		case b.Min < prev.Max:
			r.faults.Add(elementPointer(bins, i), fault.CodeBinOverlap, "values from %s up to %s have two bins", b.Min,
				prev.Max)
		}
	}
}

func (r *scorecardReader) checkCategories(bins wire.Value, f *Factor, readable []bool) {
	seen := map[rule.Value]bool{}
	for i := range f.Bins {
		b := &f.Bins[i]
		if readable[i] && b.Else != (i == len(f.Bins)-1) {
			r.faults.Add(elementPointer(bins, i), fault.CodeInvalidField,
				`the last bin, and only the last, must be {"else": true}`)
		}
		for _, val := range b.In {
			if seen[val] {
				r.faults.Add(elementPointer(bins, i), fault.CodeBinOverlap, "a value is in two bins")
			}
			seen[val] = true
		}
	}
}
