package privacydesk_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"verdict/internal/application"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestEraseWhileEncrypting erases people of a database that was used without a master key, while the service
// encrypts what is stored. Everybody else's decisions are encrypted and readable, and everything matches the journal.
func TestEraseWhileEncrypting(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		o := usecase.Options{Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap}
		off, err := usecase.New(db, o)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := off.Operator.Signup(t.Context(), tenant.Signup{
			Email: "asha@example.in", OrgName: "Asha Finance", Password: tenant.NewSecret(usecasetest.Password),
		})
		if err != nil {
			t.Fatal(err)
		}
		caller, err := off.Access.Authenticate(t.Context(), signed.Key)
		if err != nil {
			t.Fatal(err)
		}
		const people, each = 8, 20
		for i := range people * each {
			body := fmt.Sprintf(`{"applicant":{"id":"A-%d","monthly_income":87654321},"bureau_report":{"score":442}}`,
				i%people)
			request := application.DecisionRequest(usecasetest.Parse(t, body))
			if _, err := off.Decisions.Decide(t.Context(), caller, request, nil); err != nil {
				t.Fatal(err)
			}
		}
		o.MasterKey = usecasetest.MasterKey
		on, err := usecase.New(db, o)
		if err != nil {
			t.Fatal(err)
		}
		on.Privacy.SetMaxTree(30_000) // small, so that a second tree begins during the test
		begun := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			var once sync.Once
			begin := func(int64) { once.Do(func() { close(begun) }) }
			if _, err := on.Decisions.Audit.SealOlder(t.Context(), begin); err != nil {
				t.Error(err)
			}
			if err := on.Protect(t.Context()); err != nil {
				t.Error(err)
			}
		})
		<-begun
		for i := range people / 2 {
			e, err := on.Privacy.Erase(t.Context(), caller,
				privacydesk.NewErasure{ApplicantRef: fmt.Sprintf("A-%d", i), Reason: "other"}, nil)
			if err != nil || e.Counts.Decisions != each {
				t.Errorf("the receipt is %+v, %v", e, err)
			}
		}
		all.Wait()
		found, err := on.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || found.Failed != 0 || found.Erased != people/2*each || found.Checked != people*each {
			t.Errorf("verify finds %+v, %v", found, err)
		}
		for column, stored := range storetest.Dump(t, databaseURL) {
			if bytes.Contains(stored, []byte("87654321")) || bytes.Contains(stored, []byte("A-0")) {
				t.Errorf("%s contains data of an applicant", column)
			}
		}
	})
}
