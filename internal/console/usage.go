package console

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"verdict/internal/chart"
	"verdict/internal/decisioning"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// usagePages serves the page with the tenant's usage in the current billing period.
type usagePages struct {
	decisions *decisioning.Service
}

func (p *usagePages) routes() []page {
	return []page{{pattern: "GET /console/{env}/usage", handle: p.usage, scope: tenant.Read}}
}

// usageFigures is the usage of a billing period with the texts that pages show.
type usageFigures struct {
	Plan       string
	Metered    bool
	Used       int64
	Quota      int64
	Left       int64
	Percent    string // the used share of the quota
	Near       bool   // whether at least quotaWarningPercent is used
	From, To   time.Time
	Quarter    chart.Bars // the used part of the quota
	Daily      chart.Columns
	ByEndpoint []endpointUsage
}

type endpointUsage struct {
	Endpoint       string
	Billed, Unpaid int64
}

// quotaWarningPercent is the used percentage of the quota at which a tenant is
// warned.
const quotaWarningPercent = 80

func itoa(n int) string { return strconv.Itoa(n) }

func (p *usagePages) usage(v *visit) error {
	usage, err := p.decisions.Usage.Current(v.ctx, v.caller())
	if err != nil {
		return err
	}
	return v.render("usage", "Usage", figuresOf(usage))
}

func figuresOf(u decisioning.Usage) usageFigures {
	f := usageFigures{
		Plan:       u.Plan.Name,
		Used:       u.Used,
		From:       u.Period.Start,
		To:         u.Period.End,
		Daily:      dailyOf(u),
		ByEndpoint: endpointsOf(u),
	}
	f.Left, f.Metered = u.Plan.Remaining(u.Used)
	if f.Metered {
		f.Quota = u.Plan.MonthlyQuota
		used := u.Plan.PercentUsed(u.Used)
		f.Percent, f.Near = string(wire.AppendDecimal(nil, used, 2)), used >= quotaWarningPercent*100
		f.Quarter = chart.Bars{
			Head: chart.Head{ID: "quota", Title: "This month's quota", Description: f.Percent + " % of it is used."},
			Unit: chart.Count,
			Of:   "Quota",
			Full: float64(f.Quota),
			Rows: []chart.Bar{{Label: "Used", Values: []float64{float64(u.Used)}}},
		}
	}

	return f
}

// dailyOf returns a chart with a column for every day of the period, including days without usage.
func dailyOf(u decisioning.Usage) chart.Columns {
	billed, free := map[string]float64{}, map[string]float64{}
	for _, c := range u.Counts {
		if c.Billable {
			billed[c.Day] += float64(c.Units)
		} else {
			free[c.Day] += float64(c.Units)
		}
	}

	out := chart.Columns{
		Head: chart.Head{ID: "daily", Title: "Units a day", Description: "Billed and unbilled units by day in India."},
		Y:    chart.Axis{Label: "Units", Unit: chart.Count},
	}
	paid, unpaid := chart.Layer{Name: "Billed", Tone: chart.Blue}, chart.Layer{Name: "Not billed", Tone: chart.Grey}
	for at := u.Period.Start; at.Before(u.Period.End); at = at.AddDate(0, 0, 1) {
		day := at.Format(time.DateOnly)
		out.Labels = append(out.Labels, at.Format("2"))
		paid.Values = append(paid.Values, billed[day])
		unpaid.Values = append(unpaid.Values, free[day])
	}

	out.X.Label = u.Period.Start.Format("January 2006")
	out.Layers = []chart.Layer{paid, unpaid}
	return out
}

// endpointsOf returns the usage of the period by endpoint, those with the most billed units first.
func endpointsOf(u decisioning.Usage) []endpointUsage {
	var list []endpointUsage
	for _, c := range u.Counts {
		at := slices.IndexFunc(list, func(e endpointUsage) bool { return e.Endpoint == c.Endpoint })
		if at < 0 {
			at, list = len(list), append(list, endpointUsage{Endpoint: c.Endpoint})
		}
		if c.Billable {
			list[at].Billed += c.Units
		} else {
			list[at].Unpaid += c.Units
		}
	}

	slices.SortFunc(list, func(a, b endpointUsage) int {
		return cmp.Or(cmp.Compare(b.Billed, a.Billed), cmp.Compare(a.Endpoint, b.Endpoint))
	})
	return list
}
