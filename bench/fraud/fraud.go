// Package fraud measures what an evaluate request with a fraud block costs
// when little and when very much was observed before it.
package fraud

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // fills the database past package store

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/internal/application"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/wire"
)

// Options say how much is observed, and how often is measured.
type Options struct {
	Few, Many int // observations before
	Rounds    int
	Requests  int // in each round
}

// target is how much dearer a request may be with many.
const target = 1.5

// Contest measures requests on a database with few observations and on one
// with many, in turns.
func Contest(ctx context.Context, o Options) (s board.Section, err error) {
	folder, err := os.MkdirTemp("", "verdict-fraud-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	var towns [2]*town
	for i, observations := range []int{o.Few, o.Many} {
		measure.Progress("fraud, filling in %d observations", observations)
		if towns[i], err = open(ctx, filepath.Join(folder, fmt.Sprintf("%d.db", i)), observations); err != nil {
			return s, err
		}
		defer func() { err = errors.Join(err, towns[i].db.Close()) }() //nolint:gocritic // two of them, for as long as the contest
	}
	var times [2][]float64
	for round := range o.Rounds {
		for i, t := range towns {
			measure.Progress("fraud, round %d of %d", round+1, o.Rounds)
			nanos, err := t.round(ctx, o.Requests)
			if err != nil {
				return s, err
			}
			times[i] = append(times[i], nanos)
		}
	}
	measure.Progress("")
	return section(o, times), nil
}

func section(o Options, times [2][]float64) board.Section {
	s := board.Section{
		Name: "fraud", Title: "A fraud block",
		Note: fmt.Sprintf("An evaluate with a fraud block on SQLite, durable; %d rounds of %d requests, one after the other; wall time, medians.", o.Rounds, o.Requests),
	}
	t := board.Table{Head: []string{"observations before", "a request", "least – most"}}
	for i, observations := range []int{o.Few, o.Many} {
		spread := board.Of(times[i]...)
		t.Add(fmt.Sprint(observations), spread.Show(board.Nanos), spread.Between(board.Nanos))
	}
	s.Tables = []board.Table{t}
	s.AtMost(fmt.Sprintf("fraud block, %d observations instead of %d", o.Many, o.Few), "1.5 × the time, so flat",
		board.Quotients(times[1], times[0]), target, board.Times)
	return s
}

// town is a service with a past.
type town struct {
	db      *store.DB
	service *usecase.Set
	caller  tenant.Principal
	next    int
}

const pincodes, agents = 300, 150

func open(ctx context.Context, path string, observations int) (*town, error) {
	db, err := store.Open(ctx, "sqlite:"+path, store.Options{})
	if err != nil {
		return nil, err
	}
	plans, err := tenant.DefaultPlans().WithQuotas("free=unmetered")
	if err != nil {
		return nil, err
	}
	t := &town{db: db}
	if t.service, err = usecase.New(db, usecase.Options{Plans: plans}); err != nil {
		return nil, err
	}
	signed, err := t.service.Operator.Signup(ctx, tenant.Signup{
		Email: "bench@example.in", OrgName: "Bench", Password: tenant.NewSecret("correct horse"),
	})
	if err != nil {
		return nil, err
	}
	if t.caller, err = t.service.Access.Authenticate(ctx, signed.Key); err != nil {
		return nil, err
	}
	// Everybody once, so that pincodes and agents have the keys they are
	// known by.
	for range pincodes {
		if err := t.apply(ctx); err != nil {
			return nil, err
		}
	}
	return t, fill(ctx, path, observations)
}

// apply is one application: a new person with an account and an address of
// their own, from a known pincode by a known agent.
func (t *town) apply(ctx context.Context) error {
	t.next++
	body, err := wire.Parse(fmt.Appendf(nil, `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":742}}},"fraud":{"applicant_ref":"P-%d",
		"pincode":"%06d","ip":"49.%d.%d.%d","beneficiary_account":"90%010d","agent_id":"AG-%d"}}`,
		t.next, 400_001+t.next%pincodes, 32+t.next>>16, t.next>>8&255, t.next&255, t.next, t.next%agents))
	if err != nil {
		return err
	}
	_, err = t.service.Decisions.Evaluate(ctx, t.caller, application.EvaluateRequest(body), nil)
	return err
}

// round is the median time of a request, in nanoseconds.
func (t *town) round(ctx context.Context, requests int) (float64, error) {
	times := make([]float64, requests)
	for i := range times {
		begun := time.Now()
		if err := t.apply(ctx); err != nil {
			return 0, err
		}
		times[i] = float64(time.Since(begun).Nanoseconds())
	}
	return board.Of(times...).Median, nil
}

// fill puts links into the database: half of them of the known pincodes and
// agents, half of accounts and addresses that nobody shares. They are written
// in the order of both of the table's trees, so that this takes a minute and
// not an hour.
func fill(ctx context.Context, path string, observations int) error {
	raw, err := sql.Open("sqlite", path+"?_pragma=synchronous(0)&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { _ = raw.Close() }() // what was written was committed
	raw.SetMaxOpenConns(1)
	quarter := observations / 4
	for _, statement := range []string{
		shared("pincode", quarter/pincodes), shared("agent", quarter/agents), alone("ip", quarter), alone("beneficiary_account", quarter),
	} {
		if _, err := raw.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return nil
}

// shared gives each entity of a kind so many members, spread over ninety days.
func shared(kind string, members int) string {
	return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %[2]d)
		INSERT INTO fraud_links (tenant_id, environment, member, kind, entity_key, first_micros, previous_micros, last_micros, decision_id)
		SELECT e.tenant_id, e.environment, 'M-' || e.kind || e.entity_key || printf('-%%08d', i), e.kind, e.entity_key,
			at, 0, at, 'dec_past'
		FROM (SELECT * FROM fraud_entities WHERE kind = '%[1]s' ORDER BY entity_key) e,
			(SELECT i, (strftime('%%s', 'now') - 90 * 86400) * 1000000 + i * (90 * 86400 * 1000000 / %[2]d) AS at FROM n)`, kind, max(1, members))
}

// alone makes entities of a kind that one person each was seen with.
func alone(kind string, entities int) string {
	return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %[2]d)
		INSERT INTO fraud_links (tenant_id, environment, member, kind, entity_key, first_micros, previous_micros, last_micros, decision_id)
		SELECT t.id, 'sandbox', 'N-%[1]s' || printf('-%%08d', i), '%[1]s', printf('hmac:0%%031d', i), at, 0, at, 'dec_past'
		FROM tenants t, (SELECT i, (strftime('%%s', 'now') - 90 * 86400) * 1000000 + i * (90 * 86400 * 1000000 / %[2]d) AS at FROM n)`, kind, max(1, entities))
}
