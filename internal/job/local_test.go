package job_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"verdict/internal/job"
	"verdict/internal/operation"
)

// TestLocal enqueues chunks several times, before and while they run, and
// checks that each runs once.
func TestLocal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 2000
		local, counted := job.NewLocal(3, quiet), newTally(n)
		gate := make(chan struct{})
		spread(t, local, chunksOf("bt_1", n))
		stop := running(t, local, func(_ context.Context, c operation.Chunk) error {
			<-gate
			counted.done("local", c)
			return nil
		}, unwanted)
		synctest.Wait() // three chunks are running
		spread(t, local, chunksOf("bt_1", n))
		close(gate)
		<-counted.all
		stop()
		counted.wantOnce(t)
	})
}

// TestLocalUrgency checks that a small run overtakes a large one.
func TestLocalUrgency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		local := job.NewLocal(1, quiet)
		spread(t, local, chunksOf("bt_large", 1000))
		spread(t, local, chunksOf("bt_small", 3))
		var order []operation.Chunk
		stop := running(t, local, func(_ context.Context, c operation.Chunk) error {
			order = append(order, c)
			return nil
		}, unwanted)
		synctest.Wait()
		stop()
		last := slices.Index(order, chunksOf("bt_small", 3)[2])
		if last != 10 || len(order) != 1003 { // after the first eight chunks of the large run
			t.Errorf("the small run ended at place %d of %d", last, len(order))
		}
	})
}

// TestLocalRetries makes the first chunk fail with an error, a panic and a
// timeout until it is given up. It checks that the other chunks run in the
// meantime.
func TestLocalRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		local, counted := job.NewLocal(2, quiet), newTally(2)
		began := time.Now()
		tries, givenUp := 0, make(chan operation.Chunk, 1)
		stop := running(t, local, func(ctx context.Context, c operation.Chunk) error {
			if c.Number != 1 {
				counted.done("local", c)
				return nil
			}
			switch tries++; tries % 4 {
			case 0:
				panic("a bug")
			case 1:
				<-ctx.Done()
				return ctx.Err()
			default:
				return errors.New("no database")
			}
		}, func(_ context.Context, c operation.Chunk) error {
			givenUp <- c
			return nil
		})
		spread(t, local, chunksOf("bt_1", 3))
		if c := <-givenUp; c.Number != 1 || tries != job.Attempts {
			t.Errorf("chunk %d was given up after %d attempts", c.Number, tries)
		}
		// The pauses are 1, 2, 4, 8, 16, 30 and 30 seconds, and two attempts
		// ran until their timeout.
		if took, want := time.Since(began), 91*time.Second+2*job.AttemptTimeout; took != want {
			t.Errorf("it took %s, want %s", took, want)
		}
		<-counted.all
		counted.wantOnce(t)
		// A chunk that was given up can be enqueued again.
		synctest.Wait()
		spread(t, local, chunksOf("bt_1", 1))
		<-givenUp
		stop()
	})
}

// TestFailuresAreLogged checks that each failed attempt is one line of the log. The line contains the stack of a
// panic but not its value. The test also checks that a failure to give up a chunk is logged.
func TestFailuresAreLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		local := job.NewLocal(1, slog.New(slog.NewTextHandler(&log, nil)))
		stop := running(t, local, func(context.Context, operation.Chunk) error {
			panic("PAN ABCDE1234F")
		}, func(context.Context, operation.Chunk) error {
			return errors.New("no database")
		})
		spread(t, local, chunksOf("bt_1", 1))
		time.Sleep(time.Hour)
		stop()
		text := log.String()
		for part, want := range map[string]int{
			"level=ERROR msg=\"a chunk of a backtest or batch failed; it is tried": job.Attempts,
			"stack=": job.Attempts,
			"msg=\"a chunk of a backtest or batch failed in all attempts": 1,
			"msg=\"could not store that a chunk":                          1,
			"error=\"no database\"":                                       1,
			"ABCDE1234F":                                                  0,
			"\n":                                                          job.Attempts + 2,
		} {
			if got := strings.Count(text, part); got != want {
				t.Errorf("%q occurs %d times, want %d:\n%s", part, got, want, text)
			}
		}
	})
}

// TestLocalStops stops a queue while chunks are running. It checks that a chunk
// that ends in time is finished, and that a chunk that does not end in time is
// interrupted and not given up. Another process must run the remaining chunks.
func TestLocalStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, counted := job.NewLocal(2, quiet), newTally(10)
		interrupted := 0
		stop := running(t, first, func(ctx context.Context, c operation.Chunk) error {
			if c.Number == 1 {
				<-ctx.Done()
				interrupted++
				return ctx.Err()
			}
			<-time.After(time.Second) // takes a second
			counted.done("first", c)
			return nil
		}, unwanted)
		spread(t, first, chunksOf("bt_1", 10))
		synctest.Wait()
		began := time.Now()
		stop()
		if took := time.Since(began); took != job.StopTimeout || interrupted != 1 || counted.byWhom["first"] != 1 {
			t.Errorf("it ended after %s with %d chunks interrupted and %d done",
				took, interrupted, counted.byWhom["first"])
		}
		second := job.NewLocal(2, quiet)
		stop = running(t, second, func(_ context.Context, c operation.Chunk) error {
			if c.Number != 2 { // chunk 2 is finished already
				counted.done("second", c)
			}
			return nil
		}, unwanted)
		spread(t, second, chunksOf("bt_1", 10))
		<-counted.all
		stop()
		counted.wantOnce(t)
	})
}
