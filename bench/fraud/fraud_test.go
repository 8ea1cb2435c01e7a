package fraud

import "testing"

// TestContest checks that the contest runs and reports its results. It asserts
// no times.
func TestContest(t *testing.T) {
	t.Parallel()
	s, err := Contest(t.Context(), Options{Few: 1_000, Many: 5_000, Rounds: 1, Requests: 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tables) != 1 || len(s.Tables[0].Rows) != 2 || len(s.Targets) != 1 {
		t.Errorf("%+v", s)
	}
}
