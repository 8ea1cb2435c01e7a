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
		"scorecard.created",
		"config.changed",
		"alert.opened",
		"alert.updated",
		"alert.closed",
		"blocklist.added",
		"blocklist.extended",
		"blocklist.removed",
		"list.created",
		"list.changed",
		"list.deleted",
		"table.created",
		"table.changed",
		"table.deleted",
		"key.created",
		"key.revoked",
		"backtest.finished",
		"batch.finished",
		"exposure.reported",
		"exposure.closed",
		"exposure.deleted",
		"usage.threshold",
		"webhook.disabled",
		"erasure.started",
		"erasure.completed",
		"legal_hold.placed",
		"legal_hold.released",
		"retention.applied",
	}
}

// objectMembers are the members of an event's data that can name the object of the event.
// A loan may name its decision, so exposure_id comes first. A review belongs to its decision, so decision_id comes
// next. An alert may have added an entry to the block list, so block_id comes before alert_id.
var objectMembers = []string{
	"exposure_id", "decision_id", "rule_set_id", "scorecard_id", "list_id", "table_id", "block_id", "alert_id",
	"key_id", "backtest_id", "batch_id", "config", "period", "webhook_id", "erasure_id", "legal_hold_id", "zone",
}

// objectOf returns the id of the object that an event is about.
func objectOf(data wire.Value) string {
	for _, name := range objectMembers {
		if id := data.Get(name).Text(); id != "" {
			return id
		}
	}
	return ""
}
