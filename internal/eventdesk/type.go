package eventdesk

import "verdict/internal/wire"

// Types returns the types of events, in the order of the documentation. A webhook can be
// limited to some of them.
func Types() []string {
	return []string{
		DecisionCreated,
		"decision.reviewed",
		"rule_set.created",
		"rule_set.activated",
		"rule_set.archived",
		"rule_set.deleted",
		"config.changed",
		"alert.opened",
		"alert.updated",
		"alert.closed",
		"key.created",
		"key.revoked",
		"backtest.finished",
		"usage.threshold",
		"erasure.started",
		"erasure.completed",
	}
}

// objectMembers are the members of an event's data that can name the object of the event.
// A review belongs to its decision, so decision_id comes first.
var objectMembers = []string{"decision_id", "rule_set_id", "alert_id", "key_id", "backtest_id", "config", "period",
	"erasure_id"}

// objectOf returns the id of the object that an event is about.
func objectOf(data wire.Value) string {
	for _, name := range objectMembers {
		if id := data.Get(name).Text(); id != "" {
			return id
		}
	}
	return ""
}
