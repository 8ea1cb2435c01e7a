package decisioning_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// The default policy declines lateBody for its late payments, and refers
// manyEnquiries for its enquiries.
const (
	lateBody = `{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":600000},
		"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":120}}`
	manyEnquiries = `{"applicant":{"id":"A-2","monthly_income":85000,"foir":0.32,"requested_amount":600000},
		"bureau_report":{"score":742,"enquiries_6m":8,"active_tradelines":4,"max_dpd_12m":0}}`
)

func TestStory(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) { //nolint:thelper // it is the test itself
		h := usecasetest.Open(t, db, usecase.Options{})
		story, err := h.Service.Decisions.Story(t.Context(), h.Caller, h.Decided(t, lateBody))
		if err != nil || story.Why != "" || story.Summary.ApplicantRef != "A-1" {
			t.Fatalf("got %+v, %v", story, err)
		}
		rule := func(id string) decisioning.RuleStory {
			at := slices.IndexFunc(story.Rules, func(r decisioning.RuleStory) bool { return r.ID == id })
			if at < 0 {
				t.Fatalf("nothing is told of %s", id)
			}
			return story.Rules[at]
		}
		late := rule("KO_MAX_DPD_12M")
		late.Reads[0].Meaning = ""
		want := decisioning.RuleStory{
			ID: "KO_MAX_DPD_12M", Kind: "knockout", Stage: 1, Action: "decline", ReasonCode: "BUR_DPD",
			Condition: "bureau_own_max_dpd_12m >= 60",
			Result:    "fail", Reads: []decisioning.FieldValue{
				{Name: "bureau_own_max_dpd_12m", Value: "120", Unit: "days", Given: true},
			},
		}
		if diff := cmp.Diff(want, late); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(story.Causes) == 0 {
			t.Fatal("no cause is told")
		}
		cause := story.Causes[0]
		cause.Field.Meaning, cause.Limit.Meaning, cause.Text, cause.Message = "", "", "", ""
		if diff := cmp.Diff(decisioning.Cause{
			Code:   "BUR_DPD",
			RuleID: "KO_MAX_DPD_12M",
			Field:  want.Reads[0],
			Limit:  decisioning.FieldValue{Name: "bureau_own_max_dpd_12m", Value: "60", Unit: "days", Given: true},
			Needs:  "less than",
		}, cause); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		obliged := rule("KO_MAX_FOIR")
		if !obliged.Reads[0].Given || obliged.Reads[0].Name != "foir_effective" || obliged.Reads[0].Value != "0.32" {
			t.Errorf("the FOIR that counted is not told: %+v", obliged.Reads)
		}
		emulator := rule("KO_DEVICE_EMULATOR")
		if emulator.Result != "not_evaluated" || !slices.Equal(emulator.Missing, []string{"device_is_emulator"}) ||
			emulator.Reads[0].Given {
			t.Errorf("got %+v", emulator)
		}
		if got := rule("ADJ_RECENT_ENQUIRIES"); got.Result != "applied" || got.Delta != "-5" {
			t.Errorf("got %+v", got)
		}
		if f := story.Factors[1]; f.Factor != "bureau_score" || f.Points != "28" || f.Read.Value != "742" {
			t.Errorf("got %+v", f)
		}
		if !slices.ContainsFunc(story.Facts, func(f decisioning.FactStory) bool {
			return f.Name == "monthly_income" && f.Value == "85000" && f.Read && f.Group == "applicant"
		}) {
			t.Errorf("the income is not told: %+v", story.Facts)
		}
		if len(story.Improvements) != 0 {
			t.Errorf("late payments cannot be undone: %+v", story.Improvements)
		}

		story, err = h.Service.Decisions.Story(t.Context(), h.Caller, h.Decided(t, manyEnquiries))
		if err != nil || len(story.Improvements) == 0 {
			t.Fatalf("got %+v, %v", story, err)
		}
		first := story.Improvements[0]
		if first.Status != "APPROVED" || first.LimitPaise == 0 ||
			!slices.ContainsFunc(first.Changes, func(c decisioning.ImprovementChange) bool {
				return c.Name == "enquiries_6m" && c.Value == "8" && c.Waiting
			}) {
			t.Errorf("got %+v", first)
		}
		if _, err := h.Service.Decisions.Story(t.Context(), h.Caller, "dec_none"); err == nil {
			t.Error("a decision that is not there has a story")
		}
	})
}

func TestReferrals(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) { //nolint:thelper // it is the test itself
		h := usecasetest.Open(t, db, usecase.Options{})
		first, second := h.Decided(t, manyEnquiries), h.Decided(t, manyEnquiries)
		h.Decided(t, lateBody)
		page, err := h.Service.Decisions.Reviews.Referrals(t.Context(), h.Caller, operation.List{Limit: 1})
		if err != nil || len(page.Data) != 1 || page.Data[0].ID != first || page.NextCursor == "" ||
			page.Data[0].Reason == "" {
			t.Fatalf("got %+v, %v", page, err)
		}
		review := func(outcome string) {
			t.Helper()
			_, err := h.Service.Decisions.Reviews.Add(t.Context(), h.Caller, first,
				decisioning.NewReview{Outcome: outcome}, nil)
			if err != nil {
				t.Fatal(err)
			}
		}
		review("more_information")
		review("upheld")
		on, err := h.Service.Decisions.Reviews.Referrals(t.Context(), h.Caller,
			operation.List{Limit: 1, Cursor: page.NextCursor})
		if err != nil || len(on.Data) != 1 || on.Data[0].ID != second || on.NextCursor != "" {
			t.Errorf("got %+v, %v", on, err)
		}
		_, err = h.Service.Decisions.Reviews.Referrals(t.Context(), h.Caller, operation.List{Limit: 1, Cursor: "x"})
		if err == nil {
			t.Error("any text is a cursor")
		}
	})
}
