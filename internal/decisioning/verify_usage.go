package decisioning

import (
	"context"
	"fmt"

	"verdict/internal/store"
)

// meteredEndpoints are the endpoints whose requests store one decision for each unit of usage.
func meteredEndpoints() []string { return []string{EndpointDecisions, EndpointEvaluate} }

// meteredCount compares the number of decisions with the metered usage. Only this comparison notices a decision that
// was deleted together with its entry at the end of the journal.
type meteredCount struct {
	metered int64
	found   int64 // decisions that are stored, or whose entry is in the journal
}

// newMeteredCount reads the metered usage of a scope. It must be called before the decisions are counted, so that a
// decision that is made meanwhile does not seem to be missing.
func newMeteredCount(ctx context.Context, scope *store.Scope) (c meteredCount, err error) {
	for _, endpoint := range meteredEndpoints() {
		units, err := scope.Usage(ctx).Total(endpoint)
		if err != nil {
			return c, err
		}
		c.metered += units
	}
	return c, nil
}

// add counts a stored decision.
func (c *meteredCount) add(d *store.Decision) {
	for _, endpoint := range meteredEndpoints() {
		if d.Endpoint == endpoint {
			c.found++
		}
	}
}

// missing returns a sentence if there are fewer decisions than were metered, otherwise "". There may be more: decisions
// that the operator has added are not metered.
func (c *meteredCount) missing() string {
	if c.found >= c.metered {
		return ""
	}
	return fmt.Sprintf("%d decisions were metered, but only %d are stored or have an entry in the journal",
		c.metered, c.found)
}
