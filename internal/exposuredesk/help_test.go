package exposuredesk_test

import (
	"fmt"
	"testing"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// bench is a tenant and two nodes over its database, with a clock that the test advances. SQLite has one writer, so
// there the nodes share one database handle.
type bench struct {
	*usecasetest.House
	clock *usecasetest.Clock
	nodes [2]*usecase.Set
	admin tenant.Principal // a person with every scope
	db    *store.DB
	url   string
}

// each runs a test on both databases.
func each(t *testing.T, test func(b *bench)) {
	t.Helper()
	for kind, migrated := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { t.Helper(); return storetest.MigratedSQLite(t) },
		"postgres": func(t *testing.T) string { t.Helper(); return storetest.MigratedPostgres(t) },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(open(t, migrated(t)))
		})
	}
}

func open(t *testing.T, databaseURL string) *bench {
	t.Helper()
	first := storetest.Open(t, databaseURL, store.Options{})
	second := first
	if first.Kind() != "sqlite" {
		second = storetest.Open(t, databaseURL, store.Options{})
	}
	b := &bench{clock: usecasetest.NewClock(), db: first, url: databaseURL}
	options := usecase.Options{
		Now: b.clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
	}
	b.House = usecasetest.Open(t, first, options)
	other, err := usecase.New(second, options)
	if err != nil {
		t.Fatal(err)
	}
	b.nodes = [2]*usecase.Set{b.Service, other}
	session, _ := b.SignIn(usecasetest.Asha)
	b.admin = session.Principal(tenant.Sandbox)
	return b
}

func (b *bench) activate(draft string) policydesk.RuleSet {
	b.Helper()
	set, err := b.Service.Policies.CreateRuleSet(b.Context(), b.Caller, usecasetest.Draft(b.T, draft), nil)
	if err == nil {
		set, err = b.Service.Policies.Activate(b.Context(), b.Caller, set.ID, policydesk.Activation{}, nil)
	}
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// capped is a draft of the default policy with a bound of 500,000.
const capped = `{"name":"capped","exposure":{"max_total":500000}}`

// asks returns the application of a person for an amount under a policy_key.
func asks(ref, key string, amount int) string {
	return fmt.Sprintf(`{"applicant_ref":%q,"policy_key":%q,
		"applicant":{"monthly_income":850000,"foir":0.1,"requested_amount":%d},
		"bureau_report":{"score":860,"enquiries_6m":0,"active_tradelines":4,"max_dpd_12m":0}}`, ref, key, amount)
}

// decided is a decision: what its answer says, and the facts that were stored.
type decided struct {
	id, status, binding string
	limit               float64
	reasons             []string
	facts               func(name string) string
	verified            bool
}

// decide decides an application on a node.
func (b *bench) decide(node *usecase.Set, body string) decided {
	b.Helper()
	request := application.DecisionRequest(usecasetest.Parse(b.T, body))
	made, err := node.Decisions.Decide(b.Context(), b.Caller, request, nil)
	if err != nil {
		b.Fatal(err)
	}
	return b.read(made.ID)
}

// read reads a stored decision.
func (b *bench) read(id string) decided {
	b.Helper()
	shown, err := b.Service.Decisions.Decision(b.Context(), b.Caller, id, decisioning.WithFacts)
	if err != nil {
		b.Fatal(err)
	}
	answer := usecasetest.Object(b.T, shown.Response)
	d := decided{id: id, verified: shown.Again.Verified, facts: func(name string) string {
		return shown.Facts.Get(name).String()
	}}
	d.status, _ = answer["status"].(string)
	offer, _ := answer["offer"].(map[string]any)
	d.limit, _ = offer["limit"].(float64)
	d.binding, _ = offer["binding_constraint"].(string)
	reasons, _ := answer["reasons"].([]any)
	for _, r := range reasons {
		reason, _ := r.(map[string]any)
		code, _ := reason["code"].(string)
		d.reasons = append(d.reasons, code)
	}
	if !d.verified {
		b.Errorf("decision %s is not verified", id)
	}
	return d
}

// report reports a loan.
func (b *bench) report(n exposuredesk.NewReport) (exposuredesk.Exposure, error) {
	n.HasOutstanding = n.HasOutstanding || n.Loan.OutstandingPaise > 0
	return b.Service.Exposures.Report(b.Context(), b.Caller, n, nil)
}

// reported reports a loan. The report must succeed.
func (b *bench) reported(n exposuredesk.NewReport) exposuredesk.Exposure {
	b.Helper()
	e, err := b.report(n)
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// owes returns the report of a loan of a product.
func owes(ref, product string, rupees int64) exposuredesk.NewReport {
	return exposuredesk.NewReport{
		ApplicantRef: ref,
		Loan:         exposure.Loan{Product: product, OutstandingPaise: rupees * 100, EMIPaise: 1_000_00, DPD: 3},
	}
}
