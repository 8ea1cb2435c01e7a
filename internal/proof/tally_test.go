package proof

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTally(t *testing.T) {
	t.Parallel()
	var tally Tally
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			tally.Add("wrong keys", "401")
			tally.Add("bombs", "413")
			tally.Add("bombs", "400")
		})
	}
	all.Wait()
	want := "| attack | tries | answers |\n|---|---|---|\n| bombs | 20 | 400 × 10, 413 × 10 |\n| wrong keys | 10 | " +
		"401 × 10 |\n"
	if diff := cmp.Diff(want, tally.Table("attack", "answers")); diff != "" {
		t.Error(diff)
	}
	if got := tally.Total(); got != 30 {
		t.Errorf("%d in total", got)
	}
}
