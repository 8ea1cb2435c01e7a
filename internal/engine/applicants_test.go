package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// refusalItems returns the items of the *fault.Error err, or nil if err is nil.
func refusalItems(t *testing.T, err error) []fault.Item {
	t.Helper()
	var refusal *fault.Error
	if err != nil && !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	if refusal == nil {
		return nil
	}
	return refusal.Items
}

// TestApplicantsFilledIn checks that an applicant built from named values is read like the same
// applicant sent as JSON.
func TestApplicantsFilledIn(t *testing.T) {
	t.Parallel()
	card, err := engine.ReadScorecard(parsed(t, []byte(`{"base_points":600,"factors":[
		{"factor":"foir","field":"foir","bins":[{"points":1}]}]}`)), field.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for text, values := range map[string][]rule.NamedValue{
		`{}`:           nil,
		`{"foir":0.3}`: {{Name: "foir", Value: rule.Num(300_000)}},
		`{"foir":"x"}`: {{Name: "foir", Value: rule.Str("x")}},
		`{"foir":30}`:  {{Name: "foir", Value: rule.Num(rule.Int(30))}},
		`{"foirr":30}`: {{Name: "foirr", Value: rule.Num(rule.Int(30))}},
		`{"applicant.visits":3,"bureau_is_ntc":true}`: {
			{Name: "applicant.visits", Value: rule.Num(rule.Int(3))}, {Name: "bureau_is_ntc", Value: rule.Bool(true)},
		},
	} {
		body := parsed(t, []byte(`{"input":`+text+`}`))
		sent, doubts, err := engine.NewApplicants(body.Get("input"), wire.Value{}).Read(card)
		filledIn, sameDoubts, sameErr := engine.OneApplicant(values).Read(card)
		if diff := cmp.Diff(refusalItems(t, err), refusalItems(t, sameErr)); diff != "" {
			t.Errorf("%s: faults (-sent +filled in):\n%s", text, diff)
		}
		if diff := cmp.Diff(doubts, sameDoubts); diff != "" {
			t.Errorf("%s: warnings (-sent +filled in):\n%s", text, diff)
		}
		if err == nil {
			if diff := cmp.Diff(factsText(sent[0]), factsText(filledIn[0])); diff != "" {
				t.Errorf("%s: facts (-sent +filled in):\n%s", text, diff)
			}
		}
	}
}

func factsText(f *rule.Facts) string {
	var w wire.Writer
	f.Write(&w)
	return string(w.Buf)
}
