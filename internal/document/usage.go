package document

import (
	"maps"
	"slices"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/wire"
)

// WriteUsage writes the usage of a tenant. The counts by day contain only billed
// units, so that they add up to the total.
func WriteUsage(w *wire.Writer, u decisioning.Usage) {
	w.Object().Key("tenant_id").String(u.TenantID).Key("environment").String(string(u.Environment))
	w.Key("plan").String(u.Plan.Name)
	w.Key("period").Object().Key("start").String(u.Period.Start.Format(time.RFC3339))
	w.Key("end").String(u.Period.End.Format(time.RFC3339)).EndObject()
	if left, metered := u.Plan.Remaining(u.Used); metered {
		w.Key("quota").Int(u.Plan.MonthlyQuota).Key("used").Int(u.Used).Key("remaining").Int(left)
		w.Key("percent_used").Decimal(u.Plan.PercentUsed(u.Used), 2)
	} else {
		w.Key("quota").Null().Key("used").Int(u.Used)
	}
	w.Key("overage_allowed").Bool(u.Plan.Unmetered)
	w.Key("by_endpoint").Array()
	for _, c := range u.ByEndpoint() {
		w.Object().Key("endpoint").String(c.Endpoint).Key("count").Int(c.Units)
		w.Key("billable").Bool(c.Billable).EndObject()
	}
	w.EndArray().Key("daily").Array()
	days := u.BilledByDay()
	for _, day := range slices.Sorted(maps.Keys(days)) {
		w.Object().Key("date").String(day).Key("count").Int(days[day]).EndObject()
	}
	w.EndArray().EndObject()
}
