package evidencedesk_test

import (
	"bytes"
	"testing"

	"verdict/internal/capsule"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// withPeople is a request with two people who are named. The co-applicant's facts are a zone of their own.
const withPeople = `{"applicants":[{"role":"primary","applicant_ref":"P-1","monthly_income":40000,"foir":0.1,
	"requested_amount":300000,"age":40,"employment_type":"SALARIED","bureau_report":{"score":800}},
	{"role":"co_applicant","applicant_ref":"C-1","monthly_income":30000,"foir":0.2,"bureau_report":{"score":790}}]}`

// TestCapsuleOfPeople checks a capsule with the facts of two people, and that no byte of the co-applicant's facts or of
// their salt can be changed.
func TestCapsuleOfPeople(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := open(t, db, newMemory())
		begun(t, db, h)
		id := h.Decided(t, withPeople)
		sign(t, h)
		l := logOf(t, h)
		made, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, id)
		if err != nil {
			t.Fatal(err)
		}
		if len(made.People) != 1 || bytes.Contains(made.Facts, []byte("co_applicant.")) ||
			!bytes.Contains(made.People[0].Facts, []byte(`"co_applicant.bureau_score":790`)) {
			t.Errorf("the facts are %s and %+v", made.Facts, made.People)
		}
		text := made.Append(nil)
		holds := func(text []byte) bool {
			read, err := capsule.Parse(text)
			if err != nil {
				return false
			}
			r := read.Check(l.keys, nil)
			return r.Decided == nil && r.Logged == nil
		}
		if !holds(text) {
			t.Fatalf("the capsule does not hold: %s", text)
		}
		from := bytes.Index(text, []byte(`"people":`))
		for i := from; i < bytes.Index(text, []byte(`"policy":`)); i++ {
			altered := bytes.Clone(text)
			altered[i] ^= 1 << (i % 8)
			if holds(altered) {
				t.Errorf("it holds with another byte %d: …%s…", i, altered[i-20:i+20])
			}
		}
		made.People = nil
		if holds(made.Append(nil)) {
			t.Error("it holds without the co-applicant")
		}
	})
}
