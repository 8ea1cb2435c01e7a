package operation

import (
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestRefusalWaitsForTheEarlierAnswer repeats a request that is refused because of what is stored. The refusal
// may be about an earlier attempt of the same request. So the refusal is returned only if the database could say
// whether there was an earlier attempt.
func TestRefusalWaitsForTheEarlierAnswer(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	repeated := Attempt{
		idempotency: &Idempotency{Route: "POST /v1/legal-holds/{id}/release", Key: "k", Hash: "h"},
		scope:       db.Scope("ten_1", "sandbox"),
		keyed:       func(_, value string) string { return value },
	}
	refused := func(kind fault.Kind) error { return fault.New(kind, fault.CodeUnavailable, "refused") }
	dependOnRows := []fault.Kind{fault.Conflict, fault.NotFound, fault.Gone, fault.Precondition}
	for _, kind := range dependOnRows {
		if answer, err := repeated.earlier(t.Context(), refused(kind)); answer != nil || err != nil {
			t.Errorf("kind %v without an earlier attempt: %v, %v", kind, answer, err)
		}
	}

	if err := db.Close(); err != nil { // from now on nothing can be looked up
		t.Fatal(err)
	}
	for _, kind := range dependOnRows {
		answer, err := repeated.earlier(t.Context(), refused(kind))
		if answer != nil || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("kind %v while the database is away: %v, %v; want Unavailable", kind, answer, err)
		}
	}
	if answer, err := repeated.earlier(t.Context(), refused(fault.Invalid)); answer != nil || err != nil {
		t.Errorf("a refusal that no stored row can change: %v, %v", answer, err)
	}
}
