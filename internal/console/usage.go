package console

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"verdict/internal/chart"
	"verdict/internal/decisioning"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// usagePages serves the page with the tenant's usage, by month.
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

// usageMonth is a month in the list of months.
type usageMonth struct {
	decisioning.UsageMonth
	Address string
	Shown   bool   // the page shows this month
	Change  string // change from the previous month; "" if nothing was billed then, or if this month is not over
}

// usage renders the usage of the current month, or of the month that the query names, beside the months before.
func (p *usagePages) usage(v *visit) error {
	list, err := p.decisions.Usage.ByMonth(v.ctx, v.caller())
	if err != nil {
		return err
	}
	shown := 0
	if key := v.query("month"); key != "" {
		shown = slices.IndexFunc(list, func(m decisioning.UsageMonth) bool { return m.Period.Key() == key })
		if shown < 0 {
			return errNotFound
		}
	}
	usage, err := p.decisions.Usage.In(v.ctx, v.caller(), list[shown].Period.Start)
	if err != nil {
		return err
	}
	return v.render("usage", "Usage", struct {
		usageFigures
		Current bool // the month is not over
		Months  []usageMonth
		ByMonth chart.Columns
	}{figuresOf(usage), shown == 0, usageMonths(v, list, shown), monthlyOf(list)})
}

// usageMonths returns the months for the list, the latest first.
func usageMonths(v *visit, list []decisioning.UsageMonth, shown int) []usageMonth {
	rows := make([]usageMonth, len(list))
	for i, m := range list {
		rows[i] = usageMonth{UsageMonth: m, Address: v.at("/usage"), Shown: i == shown}
		if i > 0 {
			rows[i].Address += "?month=" + m.Period.Key()
		}
		if i > 0 && i+1 < len(list) && list[i+1].Billed > 0 {
			rows[i].Change = percentChange(list[i+1].Billed, m.Billed)
		}
	}
	return rows
}

// percentChange returns the change from one count to another in whole percent, with its sign.
func percentChange(from, to int64) string {
	percent := math.Round(100 * (float64(to) - float64(from)) / float64(from))
	switch {
	case percent > 0:
		return fmt.Sprintf("+%s %%", grouped(fmt.Sprintf("%.0f", percent)))
	case percent < 0:
		return fmt.Sprintf("−%.0f %%", -percent)
	}
	return "±0 %"
}

// monthlyOf returns a chart with a column for each of the last twelve months, the oldest first. Months before the first
// usage have empty columns, so that the columns of a new tenant are not wider than others.
func monthlyOf(list []decisioning.UsageMonth) chart.Columns {
	out := chart.Columns{
		Head: chart.Head{ID: "monthly", Title: "Units a month",
			Description: "Billed and unbilled units by month in India."},
		Y: chart.Axis{Label: "Units", Unit: chart.Count},
	}
	paid, unpaid := chart.Layer{Name: "Billed", Tone: chart.Blue}, chart.Layer{Name: "Not billed", Tone: chart.Grey}
	months := slices.Clone(list)
	for len(months) < decisioning.UsageMonths {
		before := months[len(months)-1].Period.Start.AddDate(0, -1, 0)
		months = append(months, decisioning.UsageMonth{Period: tenant.PeriodOf(before)})
	}
	for _, m := range slices.Backward(months) {
		out.Labels = append(out.Labels, m.Period.Start.Format("Jan 06"))
		paid.Values = append(paid.Values, float64(m.Billed))
		unpaid.Values = append(unpaid.Values, float64(m.Free))
	}
	out.Layers = []chart.Layer{paid, unpaid}
	return out
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
