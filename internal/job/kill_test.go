package job_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"verdict/internal/job"
	"verdict/internal/operation"
	"verdict/internal/store/storetest"
)

// childVariable is the environment variable that makes this test binary the
// process that is killed.
const childVariable = "VERDICT_JOB_CHILD"

// takeUntilKilled fetches chunks and prints the number of each. It finishes no
// chunk.
func takeUntilKilled(databaseURL string) {
	ctx := context.Background()
	r, err := job.NewRiver(ctx, databaseURL, 2, quiet)
	if err == nil {
		err = r.Run(ctx, func(_ context.Context, c operation.Chunk) error {
			_, _ = os.Stdout.WriteString(strconv.FormatInt(c.Number, 10) + "\n")
			select {}
		}, unwanted)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestKill kills a node that is running two chunks and may be the leader. It
// checks that another node runs the remaining chunks immediately, and the two
// chunks after their timeout. The test simulates the passing of time by changing
// the rows that the dead node left in the tables of the queue.
func TestKill(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	const n = 6
	r, counted := newRiver(t, databaseURL, 2), newTally(n)
	spread(t, r, chunksOf("bt_1", n))
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+databaseURL)
	var complaint strings.Builder
	child.Stderr = &complaint
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if taken++; taken == 2 {
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	_ = child.Wait() // os/exec reports a killed process as an error
	if taken != 2 {
		t.Fatalf("the child took %d chunks: %s", taken, &complaint)
	}
	raw := storetest.Raw(t, databaseURL)
	for _, later := range []string{
		"UPDATE river.river_job SET attempted_at = attempted_at - interval '1 minute' WHERE state = 'running'",
		"UPDATE river.river_leader SET elected_at = elected_at - interval '1 minute', expires_at = elected_at",
	} {
		if _, err := raw.ExecContext(t.Context(), later); err != nil {
			t.Fatal(err)
		}
	}
	stop := running(t, r, func(_ context.Context, c operation.Chunk) error {
		counted.done("survivor", c)
		return nil
	}, unwanted)
	<-counted.all
	stop()
	counted.wantOnce(t)
}
