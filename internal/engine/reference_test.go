package engine_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// The reference_*_test.go files are the oracle of the engine: a naive interpreter of a policy document over a document
// of facts. The interpreter was written from the contract, not from the engine's code. It is simple and slow:
// documents are maps, numbers are exact fractions, and nothing is compiled. A third-party implementation of RFC 8785
// canonicalises the result.

// object is a JSON object whose numbers are *big.Rat.
type object = map[string]any

// reference interprets one policy.
type reference struct {
	policy    object
	knockouts []object // in declared order; system rules come last
	types     map[string]rule.Type
	annuities map[[2]int64]*big.Rat
	checksum  string // taken from the engine, because other tests check it
}

// newReference reads a valid policy document.
func newReference(tb testing.TB, document []byte, checksum string) *reference {
	tb.Helper()
	r := &reference{
		policy:    readObject(tb, document),
		types:     map[string]rule.Type{},
		annuities: map[[2]int64]*big.Rat{},
		checksum:  checksum,
	}
	for _, input := range objects(r.policy, "inputs") {
		r.types[text(input, "name")], _ = rule.ParseType(text(input, "type"))
	}
	r.knockouts = objects(r.policy, "knockouts")
	if isSet(r.policy, "include_defaults", true) {
		merged := []object{
			systemKnockout("KO_DEVICE_EMULATOR", "FR_EMULATOR", "device_is_emulator"),
			systemKnockout("KO_FRAUD_MULE_ACCOUNT", "FR_MULE", "fraud_beneficiary_reuse"),
		}
		if r.semantics() > 1 {
			merged = append(merged, systemKnockout("KO_FRAUD_BLOCKLISTED", "FR_RING", "fraud_blocklisted"))
		}
		for _, system := range merged {
			given := func(k object) bool { return k["id"] == system["id"] }
			if !slices.ContainsFunc(r.knockouts, given) {
				r.knockouts = append(r.knockouts, system)
			}
		}
	}
	return r
}

func systemKnockout(id, code, fieldName string) object {
	return object{"id": id, "reason_code": code, "condition_ast": object{"op": "eq", "field": fieldName, "value": true}}
}

// typeOf returns the type of a field in the catalogue or in the policy's
// inputs.
func (r *reference) typeOf(name string) rule.Type {
	if id, ok := field.Catalogue().Lookup(name); ok {
		return field.Catalogue().Field(id).Type
	}
	return r.types[name]
}

// reasonOf returns the catalogue's reason code of a field, or "" if it has
// none.
func reasonOf(name string) string {
	if id, ok := field.Catalogue().Lookup(name); ok {
		return field.Catalogue().Field(id).ReasonCode
	}
	return ""
}

// The statuses, from best to worst. The worst status that applies wins.
const (
	approved = iota
	referred
	declined
)

// application is the state of one application while the policy decides it.
type application struct {
	*reference
	facts  object // in Stage 2 also the engine's results that rules of Stage 2 can read
	status int

	fired         []any
	contributions []any
	sum           *big.Rat // the score before it is clamped
	score         *big.Rat
	grade         string
	band          object // nil if none matched
	offer         *offer // nil if nothing can be offered

	othersScore bool // the co-applicant's score counts

	missingInput bool
	hits         []hit // rules that hit, Stage 1 first, each stage in declared order
	belowMinimum bool
	limitCode    string // reason why the limit is below the minimum; "" if there is no code
	lost         []loss
}

// hit is a rule that hit: its reason code, and the status that the rule alone
// gives.
type hit struct {
	code   string
	status int
}

// loss has the points lost under one reason code.
type loss struct {
	code   string
	points *big.Rat
	firm   bool // a loss counts as firm unless its factor is near its maximum
}

// decide returns the canonical form of the decision.
func (r *reference) decide(tb testing.TB, facts []byte) []byte {
	tb.Helper()
	a := &application{reference: r, facts: readFacts(tb, facts), fired: []any{}}
	a.chooseScore()
	a.derive()
	a.requireFields()
	a.runKnockouts(1)
	a.addUp()
	a.grading()
	a.price()
	a.facts = a.stage2Facts()
	a.runKnockouts(2)

	result := object{
		"status": []string{"APPROVED", "REFERRED", "DECLINED"}[a.status],
		"grade":  a.grade,
		"offer":  a.offerShown(),
		"explanation": object{
			"fired_rules":         a.fired,
			"score_contributions": a.contributions,
			"final_score":         decimal(a.score, 4),
		},
		"reasons": a.reasons(),
		"policy":  object{"checksum": r.checksum},
	}
	plain, err := json.Marshal(result)
	if err != nil {
		tb.Fatal(err)
	}
	canonical, err := jcs.Transform(plain)
	if err != nil {
		tb.Fatal(err)
	}
	return canonical
}

func (a *application) worsen(status int) { a.status = max(a.status, status) }

func (a *application) requireFields() {
	for _, entry := range list(a.policy, "required_fields") {
		given := func(name string) bool { return a.read(name) != nil }
		if !slices.ContainsFunc(strings.Split(as[string](entry), "|"), given) {
			a.missingInput = true
			a.worsen(declined)
		}
	}
}

func (a *application) runKnockouts(stage int64) {
	for _, k := range a.knockouts {
		if whole(k, "stage", 1) != stage {
			continue
		}
		ast := as[object](k["condition_ast"])
		truth := a.truth(ast)
		var result, code string
		switch {
		case truth == no:
			result = "pass"
		case truth == yes && text(k, "action") == "refer":
			result, code = "refer", a.codeOf(k, ast)
		case truth == yes:
			result, code = "fail", a.codeOf(k, ast)
		case text(k, "on_absent") == "fail":
			result, code = "fail", a.absenceCode(k, ast)
		case text(k, "on_absent") == "refer":
			result, code = "refer", a.absenceCode(k, ast)
		default:
			continue // an unknown condition is not recorded if on_absent is "pass"
		}
		a.fired = append(a.fired, object{"id": k["id"], "result": result})
		status := map[string]int{"pass": approved, "refer": referred, "fail": declined}[result]
		a.worsen(status)
		if status != approved {
			a.hits = append(a.hits, hit{a.ofWhom(ast, code), status})
		}
	}
}

// absenceCode returns the reason for a rule that hit because its condition is
// unknown: a missing input if a request field that the condition compares is
// absent, otherwise the rule's own code.
func (a *application) absenceCode(k, ast object) string {
	engineOwn := []string{"final_score", "grade", "offer_limit", "offer_emi", "offer_apr", "post_offer_foir"}
	for _, name := range compared(ast) {
		if !slices.Contains(engineOwn, name) && a.read(name) == nil {
			return "MISSING_REQUIRED_INPUT"
		}
	}
	return a.codeOf(k, ast)
}

// compared returns the fields that a condition compares. "exists" and "absent"
// do not compare.
func compared(v any) (names []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			names = append(names, compared(e)...)
		}
	case object:
		if op := text(v, "op"); op == "exists" || op == "absent" {
			return nil
		}
		for key, member := range v {
			if name, ok := member.(string); ok && key == "field" {
				names = append(names, name)
			} else {
				names = append(names, compared(member)...)
			}
		}
	}
	return names
}

// codeOf returns a rule's own reason code. If the rule has none, the result depends on the semantics. In semantics 2
// it is the code that trueCode finds. In semantics 1 it is the code of the rule's first field that has a code.
func (a *application) codeOf(r, ast object) string {
	if code := text(r, "reason_code"); code != "" {
		return code
	}
	if a.semantics() > 1 {
		return a.trueCode(r, ast)
	}
	for _, name := range fieldsOf(ast) {
		if code := reasonOf(name); code != "" {
			return code
		}
	}
	return ""
}

// addUp adds base points, factors and adjustments, and clamps the sum.
func (a *application) addUp() {
	card := as[object](a.policy["scorecard"])
	sum := new(big.Rat)
	contribute := func(factor string, points *big.Rat) {
		a.contributions = append(a.contributions, object{"factor": factor, "points": decimal(points, 4)})
		sum.Add(sum, points)
	}
	contribute("base", num(card, "base_points", 0))
	for _, f := range objects(card, "factors") {
		a.factor(f, contribute)
	}
	for _, adj := range objects(a.policy, "adjustments") {
		ast := as[object](adj["condition_ast"])
		if a.truth(ast) != yes {
			continue
		}
		delta := num(adj, "delta", 0)
		a.fired = append(a.fired, object{"id": adj["id"], "result": "applied", "delta": decimal(delta, 4)})
		sum.Add(sum, delta)
		if delta.Sign() < 0 {
			code := cmp.Or(a.codeOf(adj, ast), a.genericCode(text(adj, "id")))
			a.lose(a.ofWhom(ast, code), neg(delta), true)
		}
	}
	a.sum = new(big.Rat).Set(sum)
	a.score = least(greatest(sum, num(card, "min_score", 300)), num(card, "max_score", 900))
	if clamp := sub(a.score, sum); clamp.Sign() != 0 {
		contribute("clamp", clamp)
	}
}

// factor adds the points of one factor if the factor applies, and records how
// many points it loses against the factor's maximum.
func (a *application) factor(f object, contribute func(string, *big.Rat)) {
	if when, ok := f["when"].(object); ok && a.truth(when) != yes {
		return
	}
	weighted := func(points *big.Rat) *big.Rat { return round(mul(points, num(f, "weight", 1)), 4) }
	var best, worst *big.Rat
	for _, bin := range objects(f, "bins") {
		points := weighted(num(bin, "points", 0))
		if best == nil || points.Cmp(best) > 0 {
			best = points
		}
		if worst == nil || points.Cmp(worst) < 0 {
			worst = points
		}
	}
	var earned *big.Rat
	var code string
	missing := false
	switch bin := findBin(f, a.read(text(f, "field"))); {
	case bin != nil:
		earned = weighted(num(bin, "points", 0))
		code = cmp.Or(text(bin, "reason_code"), text(f, "reason_code"), a.factorCode(f, bin),
			a.genericCode(text(f, "factor")))
	case f["missing_points"] != nil:
		earned, code, missing = weighted(num(f, "missing_points", 0)), "MISSING_REQUIRED_INPUT", true
	default:
		return
	}
	contribute(text(f, "factor"), earned)
	lost := sub(best, earned)
	if text(f, "field") == "bureau_score" && code != "" && a.isOthers() {
		code = "CO_APPLICANT"
	}
	a.lose(code, lost, missing || earned.Sign() <= 0 || add(lost, lost).Cmp(sub(best, worst)) >= 0)
}

// findBin returns the bin of a value, or nil if there is no value. The first
// and the last bin of a number field also take values outside the field's
// domain.
func findBin(f object, value any) object {
	var bins []object
	for _, bin := range objects(f, "bins") {
		special := list(bin, "special")
		if v, ok := value.(*big.Rat); ok && slices.ContainsFunc(special,
			func(s any) bool { return v.Cmp(as[*big.Rat](s)) == 0 }) {
			return bin
		}
		if len(special) == 0 {
			bins = append(bins, bin)
		}
	}
	for i, bin := range bins {
		switch v := value.(type) {
		case nil:
			return nil
		case *big.Rat:
			if i == len(bins)-1 || v.Cmp(as[*big.Rat](bin["lt"])) < 0 {
				return bin
			}
		default:
			if bin["else"] == true || slices.Contains(list(bin, "in"), value) {
				return bin
			}
		}
	}
	return nil
}

// lose adds lost points to their code. The codes in a.lost are in the order of
// their first loss.
func (a *application) lose(code string, points *big.Rat, firm bool) {
	if code == "" || points.Sign() <= 0 {
		return
	}
	for i := range a.lost {
		if a.lost[i].code == code {
			a.lost[i].points, a.lost[i].firm = add(a.lost[i].points, points), a.lost[i].firm || firm
			return
		}
	}
	a.lost = append(a.lost, loss{code, points, firm})
}

// grading finds the band of the score.
func (a *application) grading() {
	a.grade = "NA"
	floor := floorOf(a.score)
	ntc := a.read("bureau_is_ntc") == true
	for _, b := range objects(a.policy, "pricing_bands") {
		if isSet(b, "ntc", false) != ntc {
			continue
		}
		if a.takes(b, floor) {
			a.band, a.grade = b, text(b, "grade")
			break
		}
	}
	switch {
	case a.band == nil || text(a.band, "action") == "decline":
		a.worsen(declined)
	case text(a.band, "action") == "refer":
		a.worsen(referred)
	}
}

// takes reports whether a band accepts a whole score of this applicant: the score is in its range, and its condition,
// if it has one, is true.
func (a *application) takes(b object, score int64) bool {
	if when, ok := b["when"].(object); ok && a.truth(when) != yes {
		return false
	}
	return b["min_score"] == nil || score >= whole(b, "min_score", 0) && score <= whole(b, "max_score", 0)
}

// pointsHelp reports whether a band that lends is above the score and none is
// below it.
func (a *application) pointsHelp() bool {
	ntc, floor := a.read("bureau_is_ntc") == true, floorOf(a.score)
	above := false
	for _, b := range objects(a.policy, "pricing_bands") {
		if isSet(b, "ntc", false) != ntc || text(b, "action") == "decline" {
			continue
		}
		if whole(b, "max_score", 0) < floor {
			return false
		}
		above = above || whole(b, "min_score", 0) > floor
	}
	return above
}

func (r *reference) semantics() int64 { return whole(r.policy, "semantics", 1) }

// genericCode returns, from semantics 2 on, the generated code of a factor or
// adjustment that names none.
func (r *reference) genericCode(name string) string {
	if r.semantics() == 1 {
		return ""
	}
	return "FACTOR_" + strings.Map(func(c rune) rune {
		if c == '.' || c == '-' {
			return '_'
		}
		return c
	}, strings.ToUpper(name))
}

// scoreStatus returns the status that the score alone gives.
func (a *application) scoreStatus() int {
	switch {
	case a.band == nil || text(a.band, "action") == "decline":
		return declined
	case text(a.band, "action") == "refer":
		return referred
	}
	return approved
}

// lostTheBand reports whether the given lost points together would have put the
// applicant into a band with a better outcome.
func (a *application) lostTheBand(lost []loss) bool {
	card := as[object](a.policy["scorecard"])
	best := a.sum
	for _, l := range lost {
		best = add(best, l.points)
	}
	best = least(greatest(best, num(card, "min_score", 300)), num(card, "max_score", 900))
	ntc := a.read("bureau_is_ntc") == true
	for score := floorOf(a.score) + 1; score <= floorOf(best); score++ {
		for _, b := range objects(a.policy, "pricing_bands") {
			if isSet(b, "ntc", false) != ntc || !a.takes(b, score) {
				continue
			}
			outcome := map[string]int{"decline": declined, "refer": referred}[text(b, "action")]
			if outcome < a.status {
				return true
			}
			break // the first band counts
		}
	}
	return false
}

// causes returns the reason codes of semantics 2: the codes of every cause that
// would give the status on its own.
func (a *application) causes() (codes []string) {
	if a.missingInput {
		codes = append(codes, "MISSING_REQUIRED_INPUT")
	}
	for _, h := range a.hits {
		if h.status == a.status {
			codes = append(codes, h.code)
		}
	}
	codes = append(codes, a.limitCode)
	if a.scoreStatus() == a.status {
		if a.band != nil && isSet(a.band, "ntc", false) && text(a.band, "action") == "refer" {
			codes = append(codes, "BUR_NTC")
		}
		if a.lostTheBand(a.lost) {
			slices.SortStableFunc(a.lost, func(x, y loss) int { return y.points.Cmp(x.points) })
			for i, l := range a.lost {
				if l.firm || !a.lostTheBand(a.lost[:i]) { // the larger losses alone are not enough
					codes = append(codes, l.code)
				}
			}
		}
	}
	return append(codes, a.lastResort(codes))
}

// reasons returns the principal reasons: at most four, each code once.
func (a *application) reasons() []any {
	var codes []string
	if a.status == approved {
		if a.offer.isCounterOffer {
			codes = append(codes, a.constraintCode())
		}
	} else if a.semantics() > 1 {
		codes = a.causes()
	} else {
		if a.missingInput {
			codes = append(codes, "MISSING_REQUIRED_INPUT")
		}
		for _, h := range a.hits {
			codes = append(codes, h.code)
		}
		codes = append(codes, a.limitCode)
		if a.band != nil && isSet(a.band, "ntc", false) && text(a.band, "action") == "refer" {
			codes = append(codes, "BUR_NTC")
		}
		if a.band == nil && !a.pointsHelp() {
			codes = append(codes, "NO_PRICING_BAND")
		} else {
			slices.SortStableFunc(a.lost, func(x, y loss) int { return y.points.Cmp(x.points) })
			for _, l := range a.lost {
				codes = append(codes, l.code)
			}
		}
		codes = append(codes, a.lastResort(codes))
	}
	out := []any{}
	var seen []string
	for _, code := range codes {
		if code == "" || slices.Contains(seen, code) || len(seen) == 4 {
			continue
		}
		seen = append(seen, code)
		out = append(out, object{"code": code, "rank": len(seen)})
	}
	return out
}

// lastResort returns the reason code for a decline that no other code explains,
// otherwise "".
func (a *application) lastResort(codes []string) string {
	explained := slices.ContainsFunc(codes, func(code string) bool { return code != "" })
	switch {
	case explained || a.status != declined:
		return ""
	case a.belowMinimum:
		return "LIMIT_BELOW_MINIMUM"
	default: // no band, or a band that declines
		return "NO_PRICING_BAND"
	}
}

// The functions below read documents.

func readObject(tb testing.TB, document []byte) object {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		tb.Fatal(err)
	}
	return as[object](exact(v))
}

// readFacts reads facts and rounds numbers to six decimals.
func readFacts(tb testing.TB, document []byte) object {
	tb.Helper()
	facts := readObject(tb, document)
	for name, value := range facts {
		if n, ok := value.(*big.Rat); ok {
			facts[name] = round(n, 6)
		}
	}
	return facts
}

// exact replaces every number of a document with its exact value.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, _ := new(big.Rat).SetString(v.String())
		return n
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case object:
		for name := range v {
			v[name] = exact(v[name])
		}
	}
	return v
}

// as converts a value to the type T. The conversion cannot fail, because the
// reference only interprets policies that the engine has checked.
func as[T any](v any) T {
	t, ok := v.(T)
	if !ok {
		panic(fmt.Sprintf("a checked document holds %T where it should hold %T", v, t))
	}
	return t
}

func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

func isSet(o object, name string, otherwise bool) bool {
	if b, ok := o[name].(bool); ok {
		return b
	}
	return otherwise
}

func num(o object, name string, otherwise int64) *big.Rat {
	if n, ok := o[name].(*big.Rat); ok {
		return n
	}
	return big.NewRat(otherwise, 1)
}

func whole(o object, name string, otherwise int64) int64 { return floorOf(num(o, name, otherwise)) }

func list(o object, name string) []any {
	l, _ := o[name].([]any)
	return l
}

func objects(o object, name string) []object {
	var out []object
	for _, e := range list(o, name) {
		out = append(out, as[object](e))
	}
	return out
}

// The functions below calculate with fractions.

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func neg(a *big.Rat) *big.Rat    { return new(big.Rat).Neg(a) }

func least(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}

func greatest(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

// floorOf returns the largest whole number that is not above a. Euclidean
// division by a positive denominator rounds down.
func floorOf(a *big.Rat) int64 { return new(big.Int).Div(a.Num(), a.Denom()).Int64() }

// round rounds half away from zero, which for positive amounts is half up.
func round(a *big.Rat, places int) *big.Rat {
	if a.IsInt() {
		return a
	}
	n, _ := new(big.Rat).SetString(a.FloatString(places))
	return n
}

// halfUp rounds half up, for negative numbers too.
func halfUp(a *big.Rat, places int64) *big.Rat {
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(places), nil))
	return floorTo(add(a, quo(unit, big.NewRat(2, 1))), unit)
}

// decimal formats a number as in the response.
func decimal(a *big.Rat, places int) json.Number { return json.Number(a.FloatString(places)) }

func sameNumber(a, b *big.Rat) bool { return a.Cmp(b) == 0 }
