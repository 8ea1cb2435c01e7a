//go:build !race

package decisioning_test

import (
	"testing"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestAllocations limits how many allocations one request makes after its body is parsed and until the bytes of its
// answer are written. The plan is cached. A preview stores nothing; a decision also allocates for its durable
// write. The limit of a decision has some slack, because the store works concurrently. Each request makes two
// allocations for the warning about inputs that the policy names and the request leaves out. A preview makes up to
// two more to mask the applicant's id. Encrypting a decision makes three: two for its cipher, and one for all its
// ciphertexts.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestAllocations(t *testing.T) {
	h := usecasetest.Open(t, storetest.Open(t, storetest.SQLite(t), store.Options{}), usecase.Options{})
	body := usecasetest.Parse(t, usecasetest.Sample)
	request := application.DecisionRequest(body)
	send := func(use func() (operation.Answer, error)) func() {
		return func() {
			answer, err := use()
			if err != nil {
				t.Fatal(err)
			}
			answer.Release()
		}
	}
	for _, c := range []struct {
		name string
		most float64
		do   func()
	}{
		{"Authenticate", 1, func() {
			if _, err := h.Service.Access.Authenticate(t.Context(), h.Signed.Key); err != nil {
				t.Fatal(err)
			}
		}},
		{"Preview", 18, send(func() (operation.Answer, error) {
			previewed, err := h.Service.Decisions.Preview(t.Context(), h.Caller,
				decisioning.WhatIf{Request: application.EitherRequest(body)})
			if err != nil {
				return operation.Answer{}, err
			}
			return document.EncodePreviewed(previewed)
		})},
		{"Decide", 168, send(func() (operation.Answer, error) {
			var reply operation.Reply[decisioning.Decided]
			decided, err := h.Service.Decisions.Decide(t.Context(), h.Caller, request, &reply)
			return reply.Answer(decided), err
		})},
	} {
		c.do()
		// Take the smallest of a few runs, because the garbage collector may empty the pools during a run.
		n := testing.AllocsPerRun(200, c.do)
		for range 4 {
			n = min(n, testing.AllocsPerRun(50, c.do))
		}
		if n > c.most {
			t.Errorf("%s allocates %v times, at most %v are wanted", c.name, n, c.most)
		}
	}
}
