package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// maxRuleSeries is how many rules and results are told apart by default.
const maxRuleSeries = 10_000

// RuleResult is how often one rule came to each end since it was last reported.
type RuleResult struct {
	TenantID, Environment, PolicyKey, RuleID string

	Evaluated int64 // decisions in which the rule ran
	Hit       int64 // of those, the ones it hit in, by its condition or because something was absent
	Unknown   int64 // of those, the ones in which a field it needs was absent
}

// ruleResults counts by rule, up to a number of series that no tenant can
// exceed. Beyond it what is not told apart is still counted.
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
			Help: "Decisions in which each rule ran, hit, and was unknown for want of a field. A rule that turns unknown has gone quiet.",
		}, []string{"tenant", "environment", "policy_key", "rule", "result"}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "verdict_metrics_dropped_total",
			Help: "Rule results not told apart because the limit on series was reached.",
		}),
		known: map[ruleSeries]prometheus.Counter{},
		limit: limit,
	}
}

// Rule adds the results of a rule. It is for counts that were gathered, about
// once a second, and not for every decision.
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
