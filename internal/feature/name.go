package feature

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Name holds the parts of a feature's name.
type Name struct {
	Metric      string
	Product     string
	WindowDays  int
	Aggregation string
}

// String returns the name as policies write it: metric__product__90d__count.
func (n Name) String() string {
	return n.Metric + "__" + n.Product + "__" + strconv.Itoa(n.WindowDays) + "d__" + n.Aggregation
}

// All yields every feature once, Count of them, in catalogue order: by metric,
// then product, then window from short to long, then aggregation.
func All() iter.Seq[Name] {
	return func(yield func(Name) bool) {
		for _, m := range metrics {
			for _, product := range m.Products {
				for _, days := range windowsDays {
					for _, aggregation := range aggregations {
						if !yield(Name{m.Name, product, days, aggregation}) {
							return
						}
					}
				}
			}
		}
	}
}

// Parse splits a name into its parts. It accepts exactly the names that All
// yields, and returns false for all others: another spelling of the same window,
// such as 090d, is refused.
func Parse(name string) (Name, bool) {
	metric, rest, _ := strings.Cut(name, "__")
	product, rest, _ := strings.Cut(rest, "__")
	window, aggregation, _ := strings.Cut(rest, "__")
	m, ok := LookupMetric(metric)
	if !ok || !slices.Contains(m.Products, product) || !slices.Contains(aggregations, aggregation) {
		return Name{}, false
	}
	for _, days := range windowsDays {
		if window == strconv.Itoa(days)+"d" {
			return Name{metric, product, days, aggregation}, true
		}
	}
	return Name{}, false
}

// Unit returns the unit of the feature's value.
func (n Name) Unit() string {
	switch n.Aggregation {
	case CountOf, Ratio:
		return n.Aggregation
	case Trend:
		return "index"
	}
	m, _ := LookupMetric(n.Metric)
	return m.Unit
}

// Meaning describes in one sentence what the feature measures. It returns "" for
// an unknown metric.
func (n Name) Meaning() string {
	m, ok := LookupMetric(n.Metric)
	if !ok {
		return ""
	}
	of := ""
	if n.Product != "all" {
		of = " (" + ProductText(n.Product) + ")"
	}
	return fmt.Sprintf("%s%s %s in %s: %s.", m.Event, of, m.Dated, m.span(n.WindowDays), m.measure(n.Aggregation))
}

// span returns the period of a window in words. The windows of a monthly metric
// are whole months as the source reports them.
func (m Metric) span(windowDays int) string {
	if !m.Monthly {
		return fmt.Sprintf("the last %d days", windowDays)
	}
	switch windowDays {
	case 7:
		return "the newest month on record, if it ended within 7 days"
	case 30:
		return "the newest month on record"
	case 365:
		return "the newest 12 months on record"
	default:
		return fmt.Sprintf("the newest %d months on record", windowDays/30)
	}
}

// measure describes in words what an aggregation computes from the events of a
// window.
func (m Metric) measure(aggregation string) string {
	unit := ""
	if m.Unit == Rupees {
		unit = ", in " + Rupees
	}
	switch aggregation {
	case CountOf:
		return "how many"
	case Sum:
		return "the total " + m.Value + unit
	case Max:
		return "the largest " + m.Value + unit
	case Avg:
		return "the average " + m.Value + unit
	case Trend:
		against := "the newer half of the window against the older half"
		if m.Monthly {
			against = "these months against as many before them"
		}
		return "the trend of the total " + m.Value + ", " + against + ", from -1 (falling) to 1 (rising)"
	default:
		return m.Ratio
	}
}
