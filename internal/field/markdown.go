package field

import (
	"fmt"
	"io"
	"strings"

	"verdict/internal/feature"
	"verdict/internal/rule"
)

const pageHead = `# Fields

This page lists the fields that a condition, a scorecard factor or
` + "`required_fields`" + ` may name. It is generated from the catalogue in internal/field;
a test checks that it is current.

A field that the request does not contain, or that cannot be computed from it, is
absent. A comparison with an absent field is never true; only the operators
` + "`exists` and `absent`" + ` test absence. Amounts are in rupees. A ratio of 0.35 is 35
percent. A policy may declare further inputs of its own under ` + "`report.` and" + `
` + "`applicant.`" + `.

A decision request (` + "`/v1/decisions`" + `) contains the fields of the applicant and of
the bureau. For an evaluate request (` + "`/v1/evaluate`" + `), Verdict computes the bureau
fields from the report's accounts and enquiries ([BUREAUS.md](BUREAUS.md)) and the
bank fields from the bank statement ([BANK.md](BANK.md)). It also computes the
features ([FEATURES.md](FEATURES.md)) if the request has ` + "`features: true`" + ` or the policy
has ` + "`features: auto`" + `.

The device and location fields are computed from their blocks and the tenant's
thresholds. The fraud fields also depend on the tenant's other applicants at the
time of the request, and are stored with the decision. The country of an IP address
and the match of a pincode are absent if Verdict's tables do not contain the address
or the pincode.
`

// WriteMarkdown writes the catalogue as a page with a section and a table for
// each group. For features it writes the grammar of the names and a table of
// the metrics, because there are thousands of features.
func WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, s := range sections() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", s.title, s.intro)
		if s.group == featureGroup {
			writeFeatures(&b)
			continue
		}
		b.WriteString("| Field | Type | Unit | Domain | Meaning |\n|---|---|---|---|---|\n")
		for _, e := range s.fields {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", e.Name, e.Type, e.Unit, domain(&e.Field), meaning(s, e))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// meaning returns a field's meaning. It adds a note if only an evaluate request
// can send the field although both requests can send the other fields of the
// section.
func meaning(s section, e entry) string {
	if e.Supply == rule.FromEvaluate && s.supply == eitherRequest {
		return e.Meaning + " It is known only for `/v1/evaluate` requests."
	}
	return e.Meaning
}

// aggregationTexts describes how each aggregation combines the values in a
// window.
var aggregationTexts = map[string]string{
	feature.CountOf: "number of events; 0 when there was none",
	feature.Sum:     "total of the values; 0 when there was no event",
	feature.Max:     "largest value; absent when there was no event",
	feature.Avg:     "average value; absent when there was no event",
	feature.Trend: "(R − O) ÷ (|R| + |O|), from -1 to 1; R is the total of the newer half of the window, O of the " +
		"older half",
	feature.Ratio: "the ratio in the table of metrics; absent when its denominator is 0",
}

func writeFeatures(b *strings.Builder) {
	fmt.Fprintf(b, "A name is `{metric}__{product}__{window}d__{aggregation}`, such as "+
		"`enquiry__personal_loan__90d__count`. There are %d names. "+
		"The windows are the last %s days up to the date of the report, or of the request if the report has no "+
		"date. For monthly metrics they are the newest 1, 1, 2, 3, 6 and 12 months that the source reports, and a "+
		"trend compares these months with as many months before.\n\n",
		feature.Count, list(feature.WindowsDays()))
	b.WriteString("| Aggregation | Meaning |\n|---|---|\n")
	for _, a := range feature.Aggregations() {
		fmt.Fprintf(b, "| `%s` | %s |\n", a, cell(aggregationTexts[a]))
	}
	b.WriteString("\n| Metric | Source | Events | Dated when | Value | Ratio | Products " +
		"|\n|---|---|---|---|---|---|---|\n")
	said := map[string]bool{}
	var order []string
	for m := range feature.Metrics() {
		dated := m.Dated
		if m.Monthly {
			dated += ", monthly"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s, %s | %s | %s |\n", m.Name, m.Source,
			m.Event, dated, m.Value, m.Unit, m.Ratio, strings.Join(m.Products, ", "))
		for _, p := range m.Products {
			if !said[p] {
				said[p] = true
				order = append(order, p)
			}
		}
	}
	b.WriteString("\n| Product or channel | Meaning |\n|---|---|\n")
	for _, p := range order {
		fmt.Fprintf(b, "| `%s` | %s |\n", p, feature.ProductText(p))
	}
}

// cell escapes the characters that would end a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// list joins numbers as in a sentence.
func list(numbers []int) string {
	var b strings.Builder
	for i, n := range numbers {
		switch {
		case i == 0:
		case i == len(numbers)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}
