// Package demo fills a database with a tenant that looks lived in: a month of
// decisions with their reviews, versions of a policy, alerts in every state,
// backtests, scorecards, agents' runs, people and keys.
//
// Everything goes through the use cases, on a clock that is moved along, so
// that nothing stands there that the service could not have written itself.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdict/internal/agent"
	"verdict/internal/store"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// Options say how much there shall be. A zero field takes its default.
type Options struct {
	// Now is the moment at which the month ends; time.Now().
	Now time.Time
	// Decisions is how many applications there are, two thirds of them live;
	// 3,000.
	Decisions int
	// Seed draws the applicants; the same seed gives the same ones.
	Seed uint64
	// Password opens the account of everybody in the tenant; at least eight
	// characters.
	Password tenant.Secret
	// PasswordCost is that of the stored hashes; tenant.DefaultCost.
	PasswordCost tenant.Cost
	// Texts are what people wrote.
	Texts Texts
	// Progress is told how much is done, of how much.
	Progress func(done, total int64)
}

// Filled is what there is now.
type Filled struct {
	TenantID string
	OrgName  string
	People   []Person // the first is the one who signed up
	Keys     []Key
}

// Person is somebody who can sign in, unless they were shut out.
type Person struct {
	ID, Email, Role string
	Disabled        bool
}

// Key is an API key in the clear, of an environment.
type Key struct {
	Environment tenant.Environment
	Key         tenant.Key
}

// ErrNotEmpty refuses a database that has tenants in it: the demonstration is
// never mixed into somebody's work.
var ErrNotEmpty = errors.New("the database has tenants already: the demonstration is made in an empty one")

const (
	defaultDecisions = 3_000
	days             = 30
	day              = 24 * time.Hour
)

// Fill makes the tenant in an empty database. When it fails half way, what is
// there stays.
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
	if f.service, err = usecase.New(db, usecase.Options{Now: f.clock.now, PasswordCost: o.PasswordCost, Spreader: nobody{}}); err != nil {
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
	return f.made, nil
}

// fill is the making of one tenant.
type fill struct {
	options Options
	clock   *clock
	end     time.Time
	service *usecase.Set
	agents  *agent.Service
	made    Filled
	diary   diary
	staff   staff
}

// nobody does no large backtest: the one that is asked for here is cancelled.
type nobody struct{}

// Spread leaves the chunks undone.
func (nobody) Spread(context.Context, []study.Chunk) error { return nil }
