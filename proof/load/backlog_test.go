package load_test

import (
	"testing"
	"time"

	"verdict/internal/store/storetest"
	"verdict/proof/load"
)

// TestBacklog runs a short measurement with webhooks whose receiver is dead. It does not check the times. It checks
// that no decision fails, that nothing is delivered, and that the receiver gets only a few requests and not one for
// each event.
func TestBacklog(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: load")
	}
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		dead := load.NewDeadReceiver()
		t.Cleanup(dead.Close)
		s, target := start(t, databaseURL, load.BacklogSettings()...)
		plan := load.BacklogPlan{Webhooks: 2, Events: 300, Rounds: 2, Stage: time.Second, Connections: 8}
		rounds, err := load.Backlog(t.Context(), s, target.Keys[0], dead, plan, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rounds {
			for _, result := range []*load.Result{r.Without, r.With} {
				if result.Good == 0 || result.Good != result.Due {
					t.Errorf("%d of %d decisions were answered: %s", result.Good, result.Due, result.FirstWrong)
				}
			}
			if r.Undelivered < plan.Events || r.Attempts > 20 {
				t.Errorf("%d events are undelivered after %d attempts", r.Undelivered, r.Attempts)
			}
		}
		if got := len(load.BacklogTable(rounds)); got != 1+2*plan.Rounds {
			t.Errorf("the table has %d rows", got)
		}
		if dead.Got() == 0 {
			t.Error("the receiver got no request")
		}
	})
}
