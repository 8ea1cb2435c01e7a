//go:build !race

package application_test

import (
	"testing"

	"verdict/internal/application"
	"verdict/internal/wire"
)

// TestAllocations checks that reading a small request allocates memory only for
// the application, its facts and the texts that outlive the body.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestAllocations(t *testing.T) {
	const most = 8
	body, err := wire.Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(100, func() {
		if _, err := application.ReadDecision(body, application.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if n > most {
		t.Errorf("a request takes %v allocations to read, at most %v are wanted", n, most)
	}
}
