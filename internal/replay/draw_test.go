package replay_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// object is a JSON object that is being drawn.
type object = map[string]any

// dice draws all random values of a corpus. The corpora are committed, and a test
// draws the newest corpus again. So the algorithm of dice may change only
// together with a new corpus.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice {
	return dice{rand.New(rand.NewPCG(seed, 0x7665726469637400))}
}

func (d dice) percent(p int) bool { return d.IntN(100) < p }

// between returns a random number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

func pick[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// fields lists the names that drawn policies use: the names of the catalogue, with only a few of its thousands of
// features. It leaves out the names in the list "derived", and the names that match the expression "younger".
var fields = struct{ stage1, stage2 []string }{
	stage1: append(names(func(f *rule.Field) bool {
		return f.Supply != rule.FromEngine && f.Semantics == 0 &&
			!strings.Contains(f.Name, "__") && !younger.MatchString(f.Name)
	}), features...),
	stage2: names(func(f *rule.Field) bool { return f.Supply == rule.FromEngine }),
}

// derived lists the fields that the engine computes before stage 1. They are not
// facts, and policies with semantics 1 cannot use them.
var derived = names(func(f *rule.Field) bool { return f.Semantics > 1 && !younger.MatchString(f.Name) })

// younger matches the fields that were added after the newest corpus was drawn.
// They must be left out, because otherwise the drawn policies would differ from
// those of the newest corpus. Empty the expression when a corpus is added.
var younger = regexp.MustCompile(`^own_guaranteed_|^has_co_applicant$|^(co_applicant|guarantor)\.`)

// own lists the fields about the lender's earlier decisions.
var own = names(func(f *rule.Field) bool {
	return strings.HasPrefix(f.Name, "own_") && !younger.MatchString(f.Name)
})

// columns lists the columns of the table that drawn policies read.
var columns = map[string]rule.Type{"table.drawn.factor": rule.NumberType, "table.drawn.segment": rule.StringType}

var features = []string{
	"enquiry__personal_loan__90d__count", "enquiry__all__30d__sum", "outstanding__unsecured__365d__ratio",
	"eod_balance__all__90d__avg", "salary__all__180d__trend", "issued_bounce__nach__60d__count",
	"dpd_1plus__all__365d__max", "debit__upi__7d__avg",
}

func names(wanted func(*rule.Field) bool) (list []string) {
	catalogue := field.Catalogue()
	for id := range rule.FieldID(catalogue.Len()) {
		if f := catalogue.Field(id); wanted(f) {
			list = append(list, f.Name)
		}
	}
	return list
}

// lookup returns a field. An input that a policy declares has only a name and a
// type.
func (w *author) lookup(name string) *rule.Field {
	if id, ok := field.Catalogue().Lookup(name); ok {
		return field.Catalogue().Field(id)
	}
	return &rule.Field{Name: name, Type: w.inputs[name]}
}

// openWords lists values, and parts of values, of the strings in requests.
var openWords = []string{
	"cibil", "experian", "equifax", "crif", "IN", "AE", "400001", "560068", "834001", "AG-3", "salaried",
	"self employed", "Redmi 9", "13", "d-17", "49.36.12.7", "A-17", "CAT_A", "CAT_B", "अनिल \"quoted\"",
}

var parts = []string{"A", "56", "i", "IN", "sal", "ed", "9", "d-", "CAT", "\"q"}

// words returns the values that a string or boolean field is compared with.
func (w *author) words(f *rule.Field) (list []any) {
	switch {
	case f.Type == rule.BoolType:
		return []any{true, false}
	case f.Name == "grade":
		return []any{"A+", "A", "C", "F", "NTC", "G1", "G2"}
	}
	words := f.Values
	if len(words) == 0 {
		words = openWords
	}
	for _, word := range words {
		list = append(list, word)
	}
	return list
}

// spans holds the usual range of numbers for each unit, in millionths.
var spans = map[string][2]int64{
	"₹": {
		0,
		250_000e6,
	}, "ratio": {0, 900_000}, "percent": {-20e6, 60e6}, "days": {0, 120e6}, "months": {0, 72e6}, "years": {18e6, 66e6},
	"count": {0, 9e6}, "degrees": {8e6, 80e6}, "index": {1e6, 6e6},
}

// threshold returns a number in the usual range of the field, mostly a round
// number.
func (w *author) threshold(f *rule.Field) json.Number {
	span, ok := spans[f.Unit]
	switch {
	case strings.HasSuffix(f.Name, "core"): // a score
		span = [2]int64{560e6, 860e6}
	case !ok:
		span = [2]int64{0, 100e6}
	}
	n := span[0] + w.Int64N(span[1]-span[0]+1)
	switch width := span[1] - span[0]; {
	case f.Integer:
		n -= n % 1e6
	case width > 1e9 && w.percent(80):
		n -= n % 500e6
	case w.percent(80):
		n -= n % 10_000
	}
	if f.BoundedBelow {
		n = max(n, int64(f.Min))
	}
	if f.BoundedAbove {
		n = min(n, int64(f.Max))
	}
	return json.Number(rule.Number(n).String())
}

// ordered returns up to count different numbers in ascending order.
func (w *author) ordered(f *rule.Field, count int) (list []json.Number) {
	var cuts []rule.Number
	for range count {
		n, _, _ := rule.ParseNumber(w.threshold(f).String())
		cuts = append(cuts, n)
	}
	slices.Sort(cuts)
	for _, n := range slices.Compact(cuts) {
		list = append(list, json.Number(n.String()))
	}
	return list
}
