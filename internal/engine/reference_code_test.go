package engine_test

import (
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"verdict/internal/field"
	"verdict/internal/rule"
)

const missingInput = "MISSING_REQUIRED_INPUT"

// settled is a predicate and its result.
type settled struct {
	leaf  object
	holds bool
}

// trueCode returns the reason code of a semantics 2 rule that names none. It is the code of the predicates that made
// the rule hold. If they have no code, it is "RULE_" and the rule's id. An adjustment has a code only if every
// applicant whom it hits has the same code.
func (a *application) trueCode(r, ast object) string {
	if r["delta"] != nil {
		if codes := a.possible(ast, true); len(codes) == 1 {
			return codes[0]
		}
		return ""
	}
	truth, leaves := a.settle(ast)
	if code := a.together(leaves); truth == yes && code != "" {
		return code
	}
	return "RULE_" + strings.ToUpper(text(r, "id"))
}

// together returns the code of predicates that hit together. It is the first code that is not about absence. If there
// is none, it is the code about absence, or "".
func (a *application) together(leaves []settled) (code string) {
	for _, s := range leaves {
		if c := a.leafCode(s.leaf, s.holds); c != "" && (code == "" || code == missingInput) {
			code = c
		}
	}
	return code
}

// settle returns the truth of a condition and the predicates that determined
// it.
func (a *application) settle(ast object) (kleene, []settled) {
	op := text(ast, "op")
	if op == "not" {
		truth, leaves := a.settle(as[object](ast["arg"]))
		return -truth, leaves
	}
	truth := a.truth(ast)
	if op != "and" && op != "or" {
		return truth, []settled{{ast, truth == yes}}
	}
	var all []settled
	for _, arg := range objects(ast, "args") {
		of, leaves := a.settle(arg)
		if alone := op == "or" && of == yes || op == "and" && of == no; alone {
			return truth, leaves
		}
		all = append(all, leaves...)
	}
	return truth, all
}

// possible returns the codes that a condition can have if its result is holds.
func (a *application) possible(ast object, holds bool) []string {
	op := text(ast, "op")
	switch op {
	case "not":
		return a.possible(as[object](ast["arg"]), !holds)
	case "and", "or":
	default:
		return []string{a.leafCode(ast, holds)}
	}
	codes := map[string]bool{}
	for i, arg := range objects(ast, "args") {
		of := a.possible(arg, holds)
		if (op == "and") != holds || i == 0 {
			for _, code := range of {
				codes[code] = true
			}
			continue
		}
		both := map[string]bool{}
		for first := range codes {
			for _, second := range of {
				switch {
				case first == "" || first == missingInput && second != "":
					both[second] = true
				default:
					both[first] = true
				}
			}
		}
		codes = both
	}
	return slices.Collect(maps.Keys(codes))
}

// leafCode returns the reason code for an applicant for whom the predicate leaf is true, or false if holds is false.
// It returns "" if no code is true of the applicant.
func (a *application) leafCode(leaf object, holds bool) string {
	switch op := text(leaf, "op"); {
	case op == "absent" || op == "exists":
		if (op == "absent") == holds {
			return missingInput
		}
		return ""
	case leaf["field"] != nil:
		return a.fieldCode(leaf, holds)
	case op == "eq" || op == "ne" || op == "true" || op == "false":
		return ""
	default:
		left := 1
		if (op == "lt" || op == "lte") == holds {
			left = -1
		}
		code := operandCode(as[object](leaf["left"]), left)
		if code == "" {
			code = operandCode(as[object](leaf["right"]), -left)
		}
		return code
	}
}

// fieldCode returns the code of the predicate's field in three cases: the code is true of all values, the field is a
// text, or the best value of the field would give the opposite result. Otherwise it returns "".
func (a *application) fieldCode(leaf object, holds bool) string {
	name := text(leaf, "field")
	code, worse := reasonOf(name), worseOf(name)
	if code == "" || worse == 0 {
		return code
	}
	if worse == 2 {
		return ""
	}
	if a.typeOf(name) == rule.StringType {
		return code
	}
	id, _ := field.Catalogue().Lookup(name)
	f := field.Catalogue().Field(id)
	best := any(worse < 0)
	if f.Type == rule.NumberType {
		limit := new(big.Rat).Mul(million, big.NewRat(int64(-worse), 1))
		if worse < 0 && f.BoundedAbove {
			limit = big.NewRat(int64(f.Max), int64(rule.One))
		}
		if worse > 0 && f.BoundedBelow {
			limit = big.NewRat(int64(f.Min), int64(rule.One))
		}
		best = limit
	}
	better := &application{reference: a.reference, facts: object{name: best}}
	if (better.truth(leaf) == yes) != holds {
		return code
	}
	return ""
}

// worseOf says for which values the reason code of a field is true: -1 for low
// values, 1 for high values, 0 for all values, 2 for no value.
func worseOf(name string) int {
	switch name {
	case "location.lat", "location.lng", "bureau_ntc_index":
		return 0
	case "enquiry__all__30d__sum", "debit__upi__7d__avg", "outstanding__unsecured__365d__ratio":
		return 2 // for no value
	case "bank_negative_days_90d", "bank_last_salary_age_days":
		return 1
	case "device.sim_age_days", "device.app_install_age_days", "location_gps_pincode_match", "location_ip_allowed",
		"bureau_months_since_30dpd":
		return -1
	}
	switch reasonOf(name) {
	case "BUR_SCORE", "INC_LOW", "AMT_MIN", "BANK_ABB", "BUR_THIN_FILE":
		return -1
	case "BUR_TRADELINES", "AGE_RANGE", "EMP_TYPE":
		return 0
	default:
		return 1
	}
}

// operandCode returns the reason code of the operand's first field whose code is true if the operand is large (side
// 1) or small (side -1). It returns "" if there is none. A code that is true of all values always matches. Inside
// abs, side is 3 or -3, and only a code that is true of all values matches.
func operandCode(o object, side int) string {
	if name := text(o, "field"); name != "" {
		if worse := worseOf(name); worse == 0 || worse == side && worse != 2 {
			return reasonOf(name)
		}
		return ""
	}
	args := objects(o, "args")
	for i, arg := range args {
		of := side
		switch op := text(o, "op"); {
		case op == "abs":
			of = 3
		case i > 0 && (op == "sub" || op == "div"):
			of = -side
		case op == "mul" && arg["field"] != nil:
			for k, other := range args {
				if n, ok := other["value"].(*big.Rat); ok && k != i && n.Sign() < 0 {
					of = -of
				}
			}
		}
		if code := operandCode(arg, of); code != "" {
			return code
		}
	}
	return ""
}

// factorCode returns the code of a factor that names none: the code of its field. In semantics 2 a factor never uses
// some codes, and a code about low or high values applies only if the bin's values are worse than those of the best
// bin.
func (a *application) factorCode(f, bin object) string {
	name := text(f, "field")
	code, worse := reasonOf(name), worseOf(name)
	if a.semantics() == 1 {
		return code
	}
	switch code {
	case "AGE_RANGE", "AMT_MIN", "LOC_PINCODE":
		return ""
	}
	switch {
	case worse == 0 || code != "" && a.typeOf(name) == rule.StringType:
		return code
	case worse == 2:
		return ""
	case a.typeOf(name) == rule.BoolType:
		bad, good := findBin(f, worse > 0), findBin(f, worse < 0)
		if sameBin(bad, bin) && !sameBin(good, bin) {
			return code
		}
		return ""
	}
	return a.rangeCode(f, bin, code, worse)
}

func (a *application) rangeCode(f, bin object, code string, worse int) string {
	var best *big.Rat
	weighted := func(b object) *big.Rat { return round(mul(num(b, "points", 0), num(f, "weight", 1)), 4) }
	var ranges []object
	for _, b := range objects(f, "bins") {
		if len(list(b, "special")) == 0 {
			ranges = append(ranges, b)
		}
	}
	at := slices.IndexFunc(ranges, func(b object) bool { return sameBin(b, bin) })
	for _, b := range ranges {
		if p := weighted(b); best == nil || p.Cmp(best) > 0 {
			best = p
		}
	}
	for i, b := range ranges {
		if weighted(b).Cmp(best) == 0 && (at < i) != (worse < 0) || weighted(b).Cmp(best) == 0 && at == i {
			return ""
		}
	}
	if at < 0 {
		return ""
	}
	return code
}

func sameBin(a, b object) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }
