// Package demo fills a database with a tenant that looks as if it had been in use.
// The tenant has a month of decisions with their reviews, versions of a policy,
// alerts in every state, backtests, scorecards, runs of the agents, people and
// keys; and a second product with a list, a table, co-applicants, loans and batches.
//
// Everything goes through the use cases, with a simulated clock, so that the database
// holds only data that the service could have written itself.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdict/internal/agent"
	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// Options says which data to create, and how much.
type Options struct {
	// Now is the end of the month of generated data; time.Now() if it is zero.
	Now time.Time
	// Decisions is the number of applications; 3,000 if it is zero. Two thirds of them
	// are live.
	Decisions int
	// Seed is the seed of the applicants. The same seed gives the same applicants.
	Seed uint64
	// Password is the password of everybody in the tenant, of at least eight
	// characters.
	Password tenant.Secret
	// PasswordCost is the cost of the stored hashes; tenant.DefaultCost if it is
	// zero.
	PasswordCost tenant.Cost
	// MasterKey encrypts what is stored about people. If it is nil, nothing is encrypted.
	MasterKey *sealing.Epoch
	// Texts holds the texts that people write.
	Texts Texts
	// Progress is called with the number of finished steps and the number of all steps known so far.
	Progress func(done, total int64)
}

// Filled describes the tenant that was created.
type Filled struct {
	TenantID string
	OrgName  string
	People   []Person // the first is the person who signed up
	Keys     []Key
}

// Person is a user of the tenant, who can sign in unless Disabled is set.
type Person struct {
	ID, Email, Role string
	Disabled        bool
}

// Key is an API key in plain text and its environment.
type Key struct {
	Environment tenant.Environment
	Key         tenant.Key
}

// ErrNotEmpty is returned for a database that already has tenants, because demo data
// must never be mixed with real data.
var ErrNotEmpty = errors.New("the database has tenants already; use an empty database for the demonstration")

const (
	defaultDecisions = 3_000
	days             = 30
	day              = 24 * time.Hour
)

// Fill creates the tenant in an empty database. If it fails, the data written so
// far remain.
func Fill(ctx context.Context, db *store.DB, o Options) (Filled, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Decisions <= 0 {
		o.Decisions = defaultDecisions
	}
	o.Texts = o.Texts.withDefaults()
	f := &fill{options: o, clock: &clock{at: o.Now.Add(-signedUpBefore)}, end: o.Now}
	var err error
	f.service, err = usecase.New(db, usecase.Options{
		Now:          f.clock.now,
		PasswordCost: o.PasswordCost,
		ChunkQueue:   noQueue{},
		MasterKey:    o.MasterKey,
	})
	if err != nil {
		return Filled{}, err
	}
	f.agents = agent.New(f.service.Decisions, f.service.Agents, agent.Options{})
	there, err := f.service.Operator.Tenants(ctx, "")
	if err != nil {
		return Filled{}, err
	}
	if len(there) > 0 {
		return Filled{}, ErrNotEmpty
	}
	if err := f.open(ctx); err != nil {
		return Filled{}, fmt.Errorf("open the demonstration's account: %w", err)
	}
	f.plan()
	if err := f.run(ctx); err != nil {
		return Filled{}, err
	}
	f.service.Decisions.Statistics.Flush(ctx)
	return f.made, nil
}

// fill holds the state while one tenant is created.
type fill struct {
	options  Options
	clock    *clock
	end      time.Time
	service  *usecase.Set
	agents   *agent.Service
	made     Filled
	schedule schedule
	staff    staff
}

// noQueue is a queue that runs no chunks. The only large backtest of the
// demonstration is cancelled.
type noQueue struct{}

// Enqueue ignores the chunks.
func (noQueue) Enqueue(context.Context, []operation.Chunk) error { return nil }
