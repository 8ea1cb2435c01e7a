package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/admission"
	"verdict/internal/agent"
	"verdict/internal/engine"
	"verdict/internal/policydesk"
)

// ending is a context that counts the calls of Err. Err returns context.Canceled from call number "last" onward. If
// last is 0, only the end of the parent context ends it.
type ending struct {
	context.Context //nolint:containedctx // ending is a context

	asked atomic.Int64
	last  int64
}

func (e *ending) Err() error {
	if n := e.asked.Add(1); e.last > 0 && n >= e.last {
		return context.Canceled
	}
	return e.Context.Err()
}

// hostile activates a valid policy of more than half a megabyte, in which every rule declines different amounts.
func (h *house) hostile() {
	h.Helper()
	const perRule = 10
	rules := make([]string, engine.MaxRules)
	for i := range rules {
		bounds := make([]string, perRule)
		for k := range bounds {
			bounds[k] = fmt.Sprintf(`{"op":"gt","field":"requested_amount","value":%d}`, 100*(perRule*i+k)+100)
		}
		rules[i] = fmt.Sprintf(`{"id":"K%d","reason_code":"R","condition_ast":{"op":"or","args":[%s]}}`, i,
			strings.Join(bounds, ","))
	}
	h.activate(`{"name":"hostile","actionable_fields":["requested_amount","enquiries_6m","foir"],
		"knockouts":[` + strings.Join(rules, ",") + `]}`)
}

func (h *house) activate(policy string) {
	h.Helper()
	made, err := h.cases.Policies.CreateRuleSet(h.Context(), h.caller, engine.NewDraft(parse(h, policy)), nil)
	if err != nil {
		h.Fatal(err)
	}
	if _, err := h.cases.Policies.Activate(h.Context(), h.caller, made.ID, policydesk.Activation{}, nil); err != nil {
		h.Fatal(err)
	}
}

const hostileBody = `"monthly_income":40000,"foir":0.48,"requested_amount":980000,"tenure_months":12`

// TestUnderwritingEndsWithItsCaller checks that underwriting under the largest
// policy checks often whether its context has ended. If the context has ended, it
// must stop immediately and store nothing.
func TestUnderwritingEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	h.hostile()
	body := applicant(hostileBody, `"score":742`, "")
	whole := &ending{Context: t.Context()}
	if _, err := h.agents.Underwrite(whole, h.caller, request(t, body), nil); err != nil {
		t.Fatal(err)
	}
	asked := whole.asked.Load()
	if asked < 100 {
		t.Fatalf("asked only %d times", asked)
	}
	for _, last := range []int64{asked / 5, asked / 3, asked / 2, asked * 3 / 4} {
		ctx := &ending{Context: t.Context(), last: last}
		if _, err := h.agents.Underwrite(ctx, h.caller, request(t, body), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at %d of %d: %v", last, asked, err)
		}
		if n := ctx.asked.Load(); n > last+20 {
			t.Errorf("ended at %d of %d, and asked %d times", last, asked, n)
		}
	}
	usage, err := h.cases.Decisions.Usage.Current(t.Context(), h.caller)
	if err != nil || usage.Used != 1 {
		t.Errorf("used %d, %v", usage.Used, err)
	}
}

// TestNarrationHoldsNoProcessor checks that a run occupies no processor slot
// while a model writes.
func TestNarrationHoldsNoProcessor(t *testing.T) {
	t.Parallel()
	var seconds atomic.Int64 // each call of the clock adds a second, so that all computing takes long
	processors := admission.NewScheduler(1, func() time.Time { return time.Unix(seconds.Add(1), 0) })
	narrated := false
	h := onSQLite(t, agent.Options{Narrator: narrator(func(context.Context, string) (string, error) {
		if processors.Held() > 0 {
			t.Error("the run holds the processor")
		}
		narrated = true
		return "", errors.New("no")
	})})
	ctx, slot := processors.Enter(t.Context(), "the tenant")
	defer slot.Leave()
	body := request(t, applicant(declinedBody, `"score":742`, ""))
	if _, err := h.agents.Underwrite(ctx, h.caller, body, nil); err != nil || !narrated {
		t.Errorf("narrated: %v, %v", narrated, err)
	}
}

func BenchmarkHostileUnderwriting(b *testing.B) {
	h := onSQLite(b, agent.Options{})
	h.hostile()
	for b.Loop() {
		h.underwrite(applicant(hostileBody, `"score":742`, ""))
	}
}
