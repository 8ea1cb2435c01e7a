package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"
)

// BacklogPlan sets how webhooks whose receiver is dead are measured.
type BacklogPlan struct {
	Webhooks    int
	Events      int64 // undelivered events of each webhook before the measurement
	Rounds      int
	Stage       time.Duration // length of each measurement
	Connections int           // connections of the closed loop
}

// BacklogRound is a measurement of decisions while the webhooks are paused, and of decisions while they have
// undelivered events and their receiver does not answer. Every second round makes the second measurement first,
// because the speed of a shared machine changes.
type BacklogRound struct {
	Without, With *Result
	Undelivered   int64 // events of each webhook at the end
	Attempts      int64 // requests that the receiver got so far
}

// DeadReceiver accepts requests and never answers them.
type DeadReceiver struct {
	*httptest.Server
	got atomic.Int64
}

// NewDeadReceiver starts a receiver. Close ends it.
func NewDeadReceiver() *DeadReceiver {
	d := &DeadReceiver{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		d.got.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // the server notices that the sender has given up only after this
		<-r.Context().Done()
	}))
	return d
}

// Got returns the number of requests.
func (d *DeadReceiver) Got() int64 { return d.got.Load() }

// BacklogSettings are the settings of a server that may send to a DeadReceiver.
func BacklogSettings() []string { return []string{"-webhook-allow", "127.0.0.0/8"} }

// Backlog measures the decisions of a tenant in turn without webhooks and with webhooks whose receiver is dead.
// Before the measurement, it makes decisions until there are at least as many events as the plan wants. The
// webhooks begin with the first event.
func Backlog(
	ctx context.Context, s *Server, key string, dead *DeadReceiver, p BacklogPlan, tell func(string, ...any),
) ([]BacklogRound, error) {
	g := New(Target{Addr: s.Addr(), Keys: []string{key}},
		Options{Mix: Mix{1, 0, 0, 0}, Seed: 1, Timeout: 30 * time.Second})
	for answered := int64(0); answered < p.Events && ctx.Err() == nil; answered, _ = g.Answered(0, Decide) {
		g.Closed(ctx, p.Connections, time.Second)
	}
	hooks := make([]string, p.Webhooks)
	for i := range hooks {
		var made struct {
			ID string `json:"id"`
		}
		body := fmt.Appendf(nil, `{"url":"%s/%d","after_sequence":0}`, dead.URL, i)
		if err := call(ctx, http.MethodPost, s.URL+"/v1/webhooks", key, body, http.StatusCreated, &made); err != nil {
			return nil, fmt.Errorf("create a webhook: %w", err)
		}
		hooks[i] = made.ID
	}
	var rounds []BacklogRound
	for i := range p.Rounds {
		var r BacklogRound
		for half := range 2 {
			state, result := "paused", &r.Without
			if half != i%2 {
				state, result = "enabled", &r.With
			}
			if err := setHooks(ctx, s, key, hooks, state); err != nil {
				return rounds, err
			}
			*result = g.Closed(ctx, p.Connections, p.Stage)
		}
		var err error
		answered, _ := g.Answered(0, Decide)
		if r.Undelivered, err = undelivered(ctx, s, key, hooks, answered); err != nil {
			return rounds, err
		}
		r.Attempts = dead.Got()
		tell("without: %.0f a second, p50 %s, p99 %s; with %d undelivered events: %.0f a second, p50 %s, p99 %s; "+
			"%d attempts so far", r.Without.Rate(), short(r.Without.Latency.Quantile(0.5)),
			short(r.Without.Latency.Quantile(0.99)), r.Undelivered, r.With.Rate(), short(r.With.Latency.Quantile(0.5)),
			short(r.With.Latency.Quantile(0.99)), r.Attempts)
		rounds = append(rounds, r)
		if err := ctx.Err(); err != nil {
			return rounds, err
		}
	}
	return rounds, nil
}

// setHooks changes the state of webhooks.
func setHooks(ctx context.Context, s *Server, key string, hooks []string, state string) error {
	for _, id := range hooks {
		var changed json.RawMessage
		if err := call(ctx, http.MethodPatch, s.URL+"/v1/webhooks/"+id, key, fmt.Appendf(nil, `{"state":%q}`, state),
			http.StatusOK, &changed); err != nil {
			return fmt.Errorf("set a webhook to %s: %w", state, err)
		}
	}
	return nil
}

// undelivered returns the number of undelivered events of the webhook that has the fewest. The parameter events
// is a lower bound for the number of all events.
func undelivered(ctx context.Context, s *Server, key string, hooks []string, events int64) (int64, error) {
	least := events
	for _, id := range hooks {
		var hook struct {
			Last    int64 `json:"last_sequence"`
			Retries int64 `json:"retries"`
		}
		if err := call(ctx, http.MethodGet, s.URL+"/v1/webhooks/"+id, key, nil, http.StatusOK, &hook); err != nil {
			return 0, fmt.Errorf("read a webhook: %w", err)
		}
		least = min(least, events-hook.Last+hook.Retries)
	}
	return least, nil
}

// BacklogP99 is the largest permitted ratio of the p99 of decisions with a dead receiver to the p99 without it. It is
// more than 1 because the ratio of two equal measurements differs from 1 by some percent.
const BacklogP99 = 1.1

// Ratio returns the p99 with the undelivered events, divided by the p99 without them.
func (r *BacklogRound) Ratio() float64 {
	return r.With.Latency.Quantile(0.99).Seconds() / r.Without.Latency.Quantile(0.99).Seconds()
}

// BacklogRatio returns the median of the ratios of all rounds.
func BacklogRatio(rounds []BacklogRound) float64 {
	ratios := make([]float64, len(rounds))
	for i := range rounds {
		ratios[i] = rounds[i].Ratio()
	}
	return median(ratios)
}

// JudgeBacklog returns a sentence for each condition that was not met. events is the number of undelivered events that
// the plan wanted.
func JudgeBacklog(rounds []BacklogRound, events int64) (wrong []string) {
	for i := range rounds {
		r := &rounds[i]
		for _, result := range []*Result{r.Without, r.With} {
			if result.Good == 0 || result.Good != result.Due {
				wrong = append(wrong, fmt.Sprintf("round %d: %d of %d decisions were answered with 200; the first "+
					"other answer: %s", i+1, result.Good, result.Due, result.FirstWrong))
			}
		}
		if r.Undelivered < events {
			wrong = append(wrong, fmt.Sprintf("round %d: only %d events were undelivered", i+1, r.Undelivered))
		}
	}
	if ratio := BacklogRatio(rounds); ratio > BacklogP99 {
		wrong = append(wrong, fmt.Sprintf("the p99 with the dead receiver is %.2f times that without it (median of "+
			"the rounds), more than %.2f", ratio, BacklogP99))
	}
	return wrong
}

// BacklogTable returns the rounds as rows of a table, with a heading first.
func BacklogTable(rounds []BacklogRound) [][]string {
	rows := [][]string{{
		"webhooks", "decisions a second", "p50", "p99", "ratio of p99", "undelivered events", "attempts so far",
	}}
	row := func(name string, r *Result, rest ...string) {
		rows = append(rows, append([]string{name, fmt.Sprintf("%.0f", r.Rate()), short(r.Latency.Quantile(0.5)),
			short(r.Latency.Quantile(0.99))}, rest...))
	}
	for _, r := range rounds {
		row("paused", r.Without, "", "", "")
		row("enabled, the receiver is dead", r.With, fmt.Sprintf("%.2f", r.Ratio()), fmt.Sprint(r.Undelivered),
			fmt.Sprint(r.Attempts))
	}
	return rows
}
