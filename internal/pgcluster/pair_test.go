package pgcluster

import (
	"context"
	"testing"
)

// TestPair commits on a synchronous pair, freezes the primary, promotes the standby
// and checks that the standby has all data.
func TestPair(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: PostgreSQL")
	}
	primary, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, primary)
	if _, err := primary.Create(t.Context(), "ledger"); err != nil {
		t.Fatal(err)
	}
	standby, err := primary.Standby(t.Context(), "second")
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, standby)
	if err := primary.Synchronous(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	if err := primary.Execute(t.Context(), "CREATE TABLE entry (n INT)", "INSERT INTO entry VALUES (7)"); err != nil {
		t.Fatal(err)
	}
	if !query[bool](t, standby.URL("ledger"), "SELECT pg_is_in_recovery()") {
		t.Error("the standby accepts writes")
	}
	primary.Freeze()
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := standby.ask(t.Context(), "SELECT n::text FROM entry"); err != nil || got != "7" {
		t.Errorf("got %q, %v", got, err)
	}
	primary.Thaw()
	if err := primary.Synchronous(context.WithoutCancel(t.Context()), ""); err != nil {
		t.Error(err)
	}
}

func closeAtEnd(t *testing.T, c *Cluster) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
