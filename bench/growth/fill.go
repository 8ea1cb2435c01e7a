package growth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"verdict/bench/service"
	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// history describes the decisions in a filled database.
type history struct {
	middle    time.Time // half of the decisions are older than this time
	oldest    string    // id of the oldest decision
	applicant string    // reference of an applicant with decisions
}

// days is the number of days in the past over which the decisions are distributed.
const days = 90

// writers is the number of concurrent writers. The store commits waiting writes together.
const writers = 512

// fill stores decisions of the past through the store, distributed evenly over days.
// Their ids contain their times, they have as many bytes as real decisions, and they are
// billed.
func fill(ctx context.Context, databaseURL, tenantID string, decisions int) (h history, err error) {
	db, err := store.Open(ctx, databaseURL, store.Options{
		BatchSize: writers,
		QueueSize: 2 * writers,
		QueueWait: time.Minute,
		Timeout:   time.Minute,
	})
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	scope := db.Scope(tenantID, string(tenant.Sandbox))
	active, err := scope.RuleSets(ctx).Active(engine.DefaultPolicy().Key)
	if err != nil {
		return h, err
	}
	queue := make(chan *store.DecisionWrite, writers)
	var all sync.WaitGroup
	failures := make([]error, writers)
	for i := range writers {
		all.Go(func() {
			for w := range queue {
				if failures[i] == nil {
					failures[i] = scope.InsertDecision(ctx, w)
				}
			}
		})
	}
	now := time.Now()
	begun := now.Add(-days * 24 * time.Hour)
	h = history{middle: begun.Add(now.Sub(begun) / 2), applicant: applicant(decisions / 2)}
	ids, samples := tenant.NewIDs(rand.Reader), service.Samples()
	for i := range decisions {
		at := begun.Add(time.Duration(float64(now.Sub(begun)) * float64(i) / float64(decisions)))
		w := past(&samples[i%len(samples)], &active, ids.New(tenant.KindDecision, at), i, at)
		if i == 0 {
			h.oldest = w.Decision.ID
		}
		queue <- w
	}
	close(queue)
	all.Wait()
	return h, errors.Join(failures...)
}

// analyse updates PostgreSQL's statistics. PostgreSQL would update them itself within a
// minute, but until then its query plans assume that the tables are almost empty. On
// SQLite analyse does nothing.
func analyse(ctx context.Context, databaseURL string) (err error) {
	if strings.HasPrefix(databaseURL, "sqlite:") {
		return nil
	}
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, "ANALYZE")
	return err
}

// applicant returns the applicant of a decision. Each applicant has three decisions.
func applicant(i int) string { return fmt.Sprintf("PAST-%07d", i/3) }

// past returns a decision that was made at the time "at".
func past(s *service.Sample, active *store.RuleSet, id string, i int, at time.Time) *store.DecisionWrite {
	ids := strings.NewReplacer(service.EmptyDecisionID, id, service.EmptyPolicyID, active.ID)
	return &store.DecisionWrite{
		Decision: store.Decision{
			ID:            id,
			CreatedMicros: at.UnixMicro(),
			ApplicantRef:  applicant(i),
			Status:        s.Status,
			Grade:         s.Grade,
			PolicyKey:     active.PolicyKey,
			PolicyID:      active.ID,
			PolicyVersion: active.Version,
			Endpoint:      decisioning.EndpointDecisions,
			EngineVersion: engine.Version,
			Hash:          s.Hash,
			Actor:         "key_" + id[4:],
			Response:      []byte(ids.Replace(string(s.Decision))),
			Facts:         s.Facts,
		},
		Meter: store.Meter{
			Period:   tenant.PeriodOf(at).Key(),
			Day:      tenant.BusinessDay(at),
			Endpoint: decisioning.EndpointDecisions,
			Units:    1,
			Billable: true,
			Quota:    store.Unmetered,
		},
	}
}
