// Package fraud measures the cost of an evaluate request with a fraud block after few
// and after many observations.
package fraud

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // fills the database without package store

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/internal/application"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/wire"
)

// Options sets the numbers of observations and of measurements.
type Options struct {
	Few, Many int // stored observations
	Rounds    int
	Requests  int // requests in each round
}

// target limits the time of a request with many observations, as a multiple of its time
// with few observations.
const target = 1.3

// Contest measures requests on a database with few observations and on a
// database with many observations, in turns.
func Contest(ctx context.Context, o Options) (s board.Section, err error) {
	folder, err := os.MkdirTemp("", "verdict-fraud-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	var subjects [2]*subject
	for i, observations := range []int{o.Few, o.Many} {
		measure.Progress("fraud, storing %d observations", observations)
		if subjects[i], err = open(ctx, filepath.Join(folder, fmt.Sprintf("%d.db", i)), observations); err != nil {
			return s, err
		}
		//nolint:gocritic // Both databases stay open until the contest ends.
		defer func() { err = errors.Join(err, subjects[i].db.Close()) }()
	}
	var times [2][]float64
	for round := range o.Rounds {
		for i, t := range subjects {
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
		Note: fmt.Sprintf("An evaluate with a fraud block on SQLite, durable; %d rounds of %d requests, "+
			"one after the other; wall time, medians.", o.Rounds, o.Requests),
	}
	t := board.Table{Head: []string{"observations before", "a request", "least – most"}}
	for i, observations := range []int{o.Few, o.Many} {
		spread := board.Of(times[i]...)
		t.Add(fmt.Sprint(observations), spread.Show(board.Nanos), spread.Between(board.Nanos))
	}
	s.Tables = []board.Table{t}
	s.AtMost(fmt.Sprintf("fraud block, %d observations instead of %d", o.Many, o.Few), "1.3 × the time, so flat",
		board.Quotients(times[1], times[0]), target, board.Times)
	return s
}

// subject is a service whose database has observations.
type subject struct {
	db      *store.DB
	service *usecase.Set
	caller  tenant.Principal
	next    int
}

const pincodes, agents = 300, 150

func open(ctx context.Context, path string, observations int) (*subject, error) {
	db, err := store.Open(ctx, "sqlite:"+path, store.Options{})
	if err != nil {
		return nil, err
	}
	plans, err := tenant.DefaultPricePlans().WithQuotas("free=unmetered")
	if err != nil {
		return nil, err
	}
	t := &subject{db: db}
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
	// Observe every pincode and agent at least once, so that their keys are stored and
	// fill can use them.
	for range pincodes {
		if err := t.apply(ctx); err != nil {
			return nil, err
		}
	}
	return t, fill(ctx, path, observations)
}

// apply evaluates the application of a new person with a new account and a new IP address,
// from one of the pincodes and through one of the agents.
func (t *subject) apply(ctx context.Context) error {
	t.next++
	body, err := wire.Parse(fmt.Appendf(nil, `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":742}}},
		"fraud":{"applicant_ref":"P-%d",
		"pincode":"%06d","ip":"49.%d.%d.%d","beneficiary_account":"90%010d","agent_id":"AG-%d"}}`,
		t.next, 400_001+t.next%pincodes, 32+t.next>>16, t.next>>8&255, t.next&255, t.next, t.next%agents))
	if err != nil {
		return err
	}
	_, err = t.service.Decisions.Evaluate(ctx, t.caller, application.EvaluateRequest(body), nil)
	return err
}

// round returns the median time of a request, in nanoseconds.
func (t *subject) round(ctx context.Context, requests int) (float64, error) {
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

// fill inserts links into the database. Half of them link to the known pincodes and
// agents, half to accounts and addresses of one person each. It inserts them in the order
// of both indexes of the table, which takes a minute instead of an hour.
func fill(ctx context.Context, path string, observations int) error {
	raw, err := sql.Open("sqlite", path+"?_pragma=synchronous(0)&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { _ = raw.Close() }() // everything is committed by then
	raw.SetMaxOpenConns(1)
	quarter := observations / 4
	for _, statement := range []string{
		shared("pincode", quarter/pincodes),
		shared("agent", quarter/agents),
		alone("ip", quarter),
		alone("beneficiary_account", quarter),
	} {
		if _, err := raw.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return nil
}

// shared returns a statement that gives each entity of the given kind a number of members,
// distributed over ninety days.
func shared(kind string, members int) string {
	return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %[2]d)
		INSERT INTO fraud_links (tenant_id, environment, member, kind, entity_key,
			first_micros, previous_micros, last_micros, decision_id)
		SELECT e.tenant_id, e.environment, 'M-' || e.kind || e.entity_key || printf('-%%08d', i), e.kind, e.entity_key,
			at, 0, at, 'dec_past'
		FROM (SELECT * FROM fraud_entities WHERE kind = '%[1]s' ORDER BY entity_key) e,
			(SELECT i, (strftime('%%s', 'now') - 90 * 86400) * 1000000
				+ i * (90 * 86400 * 1000000 / %[2]d) AS at FROM n)`, kind, max(1, members))
}

// alone returns a statement that inserts entities of the given kind with one member each.
func alone(kind string, entities int) string {
	return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %[2]d)
		INSERT INTO fraud_links (tenant_id, environment, member, kind, entity_key,
			first_micros, previous_micros, last_micros, decision_id)
		SELECT t.id, 'sandbox', 'N-%[1]s' || printf('-%%08d', i), '%[1]s', printf('hmac:0%%031d', i),
			at, 0, at, 'dec_past'
		FROM tenants t, (SELECT i, (strftime('%%s', 'now') - 90 * 86400) * 1000000
			+ i * (90 * 86400 * 1000000 / %[2]d) AS at FROM n)`, kind, max(1, entities))
}
