//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package decisioning_test

import (
	"fmt"
	"sync"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestSaveAtOnce lets a person who may save one more filter save several at the same time, on two nodes if the database
// has nodes. One is saved, and the others are refused. Filters with the same name replace each other.
func TestSaveAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		h := usecasetest.Open(t, storetest.Open(t, databaseURL, store.Options{}), usecase.Options{})
		nodes := []*decisioning.Filters{h.Service.Filters, h.Service.Filters}
		if h.DB.Kind() == "postgres" {
			another, err := usecase.New(storetest.Open(t, databaseURL, store.Options{}), usecase.Options{
				PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey, Now: usecasetest.NewClock().Now,
			})
			if err != nil {
				t.Fatal(err)
			}
			nodes[1] = another.Filters
		}
		p := h.Admin()
		const people, saves = 10, 8
		for person := range people {
			p.UserID = fmt.Sprint("usr_", person)
			save := func(node int, name string) error {
				return nodes[node].Save(t.Context(), p, decisioning.SavedFilter{Name: name, Query: "grade=B"})
			}
			for i := range decisioning.MaxSavedFilters - 1 {
				if err := save(0, fmt.Sprint("earlier ", i)); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []func(i int) string{
				func(i int) string { return fmt.Sprint("one of ", i) }, func(int) string { return "the same" },
			} {
				var all sync.WaitGroup
				for i := range saves {
					all.Go(func() {
						err := save(i%len(nodes), name(i))
						if err != nil && usecasetest.CodeOf(err) != fault.CodeCapReached {
							t.Error(err)
						}
					})
				}
				all.Wait()
				found, err := nodes[0].Saved(t.Context(), p)
				if err != nil || len(found) != decisioning.MaxSavedFilters {
					t.Fatalf("%d filters are saved, %v", len(found), err)
				}
				if err := nodes[0].Forget(t.Context(), p, found[len(found)-1].Name); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
