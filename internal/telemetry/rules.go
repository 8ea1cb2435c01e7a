package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// maxRuleSeries is the default of Options.RuleSeries.
const maxRuleSeries = 10_000

// RuleResult counts the results of one rule since the last report.
type RuleResult struct {
	TenantID, Environment, PolicyKey, RuleID string

	Evaluated int64 // decisions in which the rule ran
	Hit       int64 // decisions in which the rule hit, by its condition or because a field was absent
	Unknown   int64 // decisions in which a field that the rule needs was absent
}

// ruleResults counts results by rule, up to a limit of series. Results of rules
// beyond the limit are counted together in dropped.
type ruleResults struct {
	vec     *prometheus.CounterVec
	dropped prometheus.Counter

	mu    sync.Mutex
	known map[ruleSeries]prometheus.Counter
	limit int
}

type ruleSeries struct{ tenant, environment, policyKey, rule, result string }

func newRuleResults(limit int) *ruleResults {
	if limit <= 0 {
		limit = maxRuleSeries
	}
	return &ruleResults{
		vec: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "verdict_rule_results_total",
			Help: "Decisions in which each rule ran, hit, or could not be evaluated because a field was absent " +
				"(unknown).",
		}, []string{"tenant", "environment", "policy_key", "rule", "result"}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "verdict_metrics_dropped_total",
			Help: "Rule results not counted by rule because the limit on series was reached.",
		}),
		known: map[ruleSeries]prometheus.Counter{},
		limit: limit,
	}
}

// Rule adds the results of a rule. Callers should collect results and report them
// about once a second, not for every decision.
func (m *Metrics) Rule(r RuleResult) {
	for _, c := range [...]struct {
		result string
		n      int64
	}{{"ran", r.Evaluated}, {"hit", r.Hit}, {"unknown", r.Unknown}} {
		if c.n > 0 {
			m.rules.add(ruleSeries{r.TenantID, r.Environment, r.PolicyKey, r.RuleID, c.result}, c.n)
		}
	}
}

func (r *ruleResults) add(s ruleSeries, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	counter, ok := r.known[s]
	if !ok {
		if len(r.known) >= r.limit {
			r.dropped.Add(float64(n))
			return
		}
		counter = r.vec.WithLabelValues(s.tenant, s.environment, s.policyKey, s.rule, s.result)
		r.known[s] = counter
	}
	counter.Add(float64(n))
}
