package replay_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"verdict/internal/agent"
	"verdict/internal/application"
	"verdict/internal/document"
	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/wire"
)

// The size of a corpus: every policy decides perPolicy applications.
const (
	corpusPolicies = 51
	perPolicy      = 200
	corpusSeed     = 20261116
)

// counting is the source of randomness for ids and keys in a corpus. It returns a
// counter, so that a corpus is reproducible and easy to compress. No real secret
// depends on it.
type counting struct{ n atomic.Uint64 }

// Read never fails.
func (c *counting) Read(p []byte) (int, error) {
	clear(p)
	var count [8]byte
	binary.BigEndian.PutUint64(count[:], c.n.Add(1))
	for i := range min(len(p), len(count)) {
		p[len(p)-1-i] = count[len(count)-1-i]
	}
	return len(p), nil
}

// lender is a tenant of the service while a corpus is made. It acts
// sequentially, and its clock advances with each step.
type lender struct {
	service *usecase.Set
	agents  *agent.Service
	now     time.Time
	by      tenant.Principal
	second  string                        // the user who activates the first user's drafts
	base    map[tenant.Environment]string // the id of the default policy
}

// step is the time between two applications. It is long enough for an activated
// policy to take effect.
const step = 1250 * time.Millisecond

// shift is the time between two policies. It is so long that the last policies
// decide with counts of several weeks.
const shift = 12 * time.Hour

// fill signs up a lender and lets the given number of policies decide.
func fill(ctx context.Context, db *store.DB, policies int) error {
	l := &lender{now: time.Date(2026, time.October, 12, 4, 30, 0, 0, time.UTC)}
	var err error
	l.service, err = usecase.New(db, usecase.Options{
		Now:          func() time.Time { return l.now },
		Random:       &counting{},
		PasswordCost: tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1},
	})
	if err != nil {
		return err
	}
	l.agents = agent.New(l.service.Decisions, l.service.Agents, agent.Options{})
	if err := l.open(ctx); err != nil {
		return fmt.Errorf("open the account: %w", err)
	}
	for p := range policies {
		d := newDice(corpusSeed + uint64(p))
		l.by.Environment = tenant.Environments()[p%len(tenant.Environments())]
		l.now = l.now.Add(shift)
		key, err := l.arm(ctx, d, p)
		if err != nil {
			return fmt.Errorf("policy %d: %w", p, err)
		}
		for i := range perPolicy {
			l.now = l.now.Add(step)
			if err := l.apply(ctx, d, key, p*perPolicy+i); err != nil {
				return fmt.Errorf("application %d of policy %d: %w", i, p, err)
			}
			if err := l.lend(ctx, d, p*perPolicy+i); err != nil {
				return fmt.Errorf("loan %d of policy %d: %w", i, p, err)
			}
		}
	}
	return nil
}

func (l *lender) open(ctx context.Context) error {
	signed, err := l.service.Operator.Signup(ctx, tenant.Signup{
		Email: "asha@example.in", OrgName: "Replay", Password: tenant.NewSecret("a long password"),
	})
	if err != nil {
		return err
	}
	second, err := l.service.Operator.CreateUser(ctx, signed.Tenant.ID, "ravi@example.in",
		tenant.NewSecret("a long password"), tenant.RoleRisk)
	if err != nil {
		return err
	}
	l.second = second.ID
	l.by = tenant.Principal{
		TenantID: signed.Tenant.ID,
		UserID:   signed.UserID,
		Scopes:   tenant.RoleAdmin.Scopes(),
		Plan:     tenant.PricePlan{Unmetered: true, StoredBytes: 1 << 40},
	}
	l.base = map[tenant.Environment]string{}
	for _, e := range tenant.Environments() {
		l.by.Environment = e
		given, err := l.service.Policies.RuleSets(ctx, l.by,
			policydesk.RuleSetFilter{PolicyKey: "default"}, operation.List{Limit: 1})
		if err != nil {
			return err
		}
		l.base[e] = given.Data[0].ID
		risks, err := document.ReadPincodeRisks(value(object{"entries": []any{
			object{"pincode": "834001", "risk": "BLOCKED", "risk_score": 96},
			object{"pincode": "800", "risk": "HIGH", "risk_score": 77},
			object{"pincode": "560068", "risk": "MEDIUM", "risk_score": 48},
		}}))
		if err != nil {
			return err
		}
		if _, err := l.service.Fraud.SetPincodeRisks(ctx, l.by, risks.Entries, risks.Replace); err != nil {
			return err
		}
		if err := l.lookups(ctx); err != nil {
			return err
		}
	}
	return nil
}

// The lists of the lender.
const (
	textList   = "drawn_texts"
	numberList = "drawn_numbers"
)

// lookups creates the lists and the table that drawn policies name.
func (l *lender) lookups(ctx context.Context) error {
	lists := map[string]object{
		textList: {"type": "text", "entries": []any{
			object{"value": "salaried"}, object{"value": "Self_Employed"}, object{"value": "Redmi  9"},
			object{"value": "cibil"}, object{"value": "STUDENT", "expires_at": "2026-10-25T00:00:00Z"},
		}},
		numberList: {"type": "number", "entries": []any{object{"value": 0}, object{"value": 3}, object{"value": 5}}},
	}
	for _, name := range []string{textList, numberList} {
		upload, err := document.ReadList(value(lists[name]))
		if err != nil {
			return err
		}
		if _, err := l.service.Lists.Replace(ctx, l.by, name, upload, operation.AnyVersion); err != nil {
			return err
		}
	}
	upload, err := document.ReadTable("drawn")(value(object{
		"keys": []any{object{"field": "employment_type"}, object{"field": "monthly_income", "match": "range"}},
		"columns": []any{
			object{"name": "factor", "type": "number"}, object{"name": "segment", "type": "text"},
		},
		"rows": []any{
			object{"keys": []any{"SALARIED", object{"lt": 40000}}, "values": []any{17.5, "CAT_B"}},
			object{"keys": []any{"SALARIED", object{"gte": 40000}}, "values": []any{63, "CAT_A"}},
			object{"keys": []any{"self_employed", object{"gte": 25000, "lt": 90000}}, "values": []any{48.25, "IN"}},
			object{"keys": []any{"STUDENT", object{}}, "values": []any{2, "sal"}},
		},
	}))
	if err != nil {
		return err
	}
	_, err = l.service.Tables.Replace(ctx, l.by, "drawn", upload, operation.AnyVersion)
	return err
}

// returning is the number of applications between two applications of the same person.
const returning = 20

// lend reports loans of some applicants, so that later applications of the same people have own exposure.
func (l *lender) lend(ctx context.Context, d dice, n int) error {
	if n%10 != 0 {
		return nil
	}
	_, err := l.service.Exposures.Report(ctx, l.by, exposuredesk.NewReport{
		ApplicantRef:   fmt.Sprintf("A-%d", n),
		HasOutstanding: true,
		Loan: exposure.Loan{
			Product:          "personal_loan",
			OutstandingPaise: int64(d.between(1, 400)) * 1_000_00,
			EMIPaise:         int64(d.between(1, 30)) * 500_00,
			DPD:              int64(pick(d, 0, 0, 4, 35)),
		},
	}, nil)
	return err
}

// arm creates a policy and activates it. The first policy of each environment is
// the default policy. If a drawn policy is refused, another is drawn.
func (l *lender) arm(ctx context.Context, d dice, p int) (key string, err error) {
	key = fmt.Sprintf("drawn-%02d", p)
	draw := func() object { return drawPolicy(d, key, p) }
	if p < len(tenant.Environments()) {
		draw = func() object { return object{"name": "default", "policy_key": key} }
	}
	var made policydesk.RuleSet
	for attempt := 0; attempt == 0 || err != nil && attempt < 50; attempt++ {
		l.now = l.now.Add(step)
		policy := draw()
		if policy["base"] == nil {
			policy["base"] = l.base[l.by.Environment]
		}
		made, err = l.service.Policies.CreateRuleSet(ctx, l.by, engine.NewDraft(value(policy)), nil)
	}
	if err != nil {
		return key, err
	}
	other := l.by
	other.UserID = l.second
	var accepted []string
	for _, finding := range made.Findings {
		if finding.Severity == analysis.SeverityError {
			accepted = append(accepted, finding.Key)
		}
	}
	_, err = l.service.Policies.Activate(ctx, other, made.ID, policydesk.Activation{Acknowledge: accepted}, nil)
	return key, err
}

// vectors is the number of a policy's decisions that have a feature vector.
// underwritten is the number of further decisions, which the underwriting agent
// makes.
const (
	vectors      = 6
	underwritten = 2
)

// apply decides an application, alternating between a request with stated facts
// and one with a report. The reports use each layout in turn.
func (l *lender) apply(ctx context.Context, d dice, key string, n int) error {
	a := drawApplicant(d, n, l.now)
	shapes := slices.Sorted(maps.Keys(layouts))
	if n%2 == 0 {
		if n%6 == 0 && n >= returning {
			a.n = n - returning // the same person applies again
		}
		_, err := l.service.Decisions.Decide(ctx, l.by, application.DecisionRequest(value(a.decision(key))), nil)
		return err
	}
	body := a.evaluation(key, shapes[n/2%len(shapes)])
	switch turn := n % perPolicy / 2; {
	case turn < vectors:
		body["features"], body["bank_summary"] = true, a.bank()
	case turn < vectors+underwritten:
		_, err := l.agents.Underwrite(ctx, l.by, agent.NewRequest(value(body)), nil)
		return err
	}
	_, err := l.service.Decisions.Evaluate(ctx, l.by, application.EvaluateRequest(value(body)), nil)
	return err
}

// value returns a document as the service reads it. It panics on an error,
// because the documents are made by this package.
func value(document any) wire.Value {
	data, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("write a request: %v", err))
	}
	v, err := wire.Parse(data)
	if err != nil {
		panic(fmt.Sprintf("read a request: %v", err))
	}
	return v
}
