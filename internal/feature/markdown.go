package feature

import (
	"fmt"
	"io"
	"strings"
)

// pageHead is the part of the page that does not come from the catalogue.
const pageHead = `# Features

What the feature factory measures, and how. This page is made from the
catalogue in internal/feature, as are the names and the computation; a test
keeps them alike.

A name is ` + "`{metric}__{product}__{window}d__{aggregation}`" + `, such as
` + "`enquiry__personal_loan__90d__count`" + `.

## Windows

All dates are days in India. Features are measured as of the date of the bureau
report, or of the request when the report has none. An event is in a window of
W days when it happened on that day or at most W − 1 days before. What is dated
later is ignored, with a warning (` + "`later_event`" +
	`); an account opened later is ignored with everything it reports.
What has no date is in no window.

Monthly metrics count whole months instead. They go back from the newest month
that the source reports, for all accounts alike, but from no earlier than two
months before the month of the as-of date: a source that fell silent before that
has no event in the short windows. Payment histories may report the current
month; months of a statement must have ended. The window of 7 days holds the
newest month when that month ended on one of those 7 days, and otherwise nothing.

## Catalogues

There are two versions of the definitions, with the same names. A vector is of
the catalogue that belongs to the semantics of the policy it was measured for:
catalogue 1 to semantics 1, catalogue 2 to semantics 2. The answer and the stored
vector say which (` + "`catalogue`" + `), and both are read for ever. Where policies of both
semantics read one application, such as in a replay or a preview, each reads the
features of its own catalogue.

| Catalogue | A window that begins before the bank statement | Microfinance accounts that Equifax lists apart |
|---|---|---|
| 1 | counts the days before the statement as days without events | are not counted |
| 2 | has no value: all six aggregations of every bank metric are absent | are counted as accounts |

The statement begins on the day of its first transaction; one without
transactions covers no window. The window of a monthly bank metric begins on the
first day of its oldest month. A trend of such a metric still compares the window
with the months before it, and counts months before the statement as 0.

## On request, or always

Features are measured when an evaluate request says ` + "`\"features\": true`" + `, and for every
evaluate request if the policy says ` + "`\"features\": \"auto\"`" + `; then the answer still shows
them only on request, and they are stored either way. If a policy names a feature
that was not requested, its rules cannot see it: the answer has the warning
` + "`features_not_requested`" + ` with the names. It has none if the features were measured and
the report or the statement lacks what they are measured from.

`

// pageRules explains how values are computed and when there is none.
const pageRules = `
## No value, no event, zero

- The source is absent, or by catalogue 2 does not cover the window: none of the
  six aggregations has a value.
- The source is there and no event is in the window: count and sum are 0; max,
  avg and trend have no value; the ratio is 0 when its base is not.
- A ratio has no value when its base is 0 or the base's source is absent: without
  accounts, enquiries have a count and no ratio.
- A trend has no value when both of its totals are 0, nor when no event is in
  the window, even where a monthly metric had some before.

A feature without a value is an absent field to a policy.

| Metrics of | are absent without |
|---|---|
| enquiries | a list of enquiries, which may be empty; mere counts of enquiries are no list |
| accounts | a list of accounts, which may be empty |
| payment months | a month of payment history in any account |
| transactions | a list of transactions, which may be empty; ` +
	`by catalogue 2 a transaction no later than the window's first day |
| balances | a transaction with a balance by the as-of date |
| income_gap, emi_gap | a whole month by the as-of date, and the declared income or instalments |

## Values

- Amounts that were not given count as 0, so the event is counted and adds
  nothing. An amount above ₹10,000 crore counts as that. A balance in the
  borrower's favour is no debt: it counts as 0 in outstanding and overdue.
- Results have four decimal places, rounded half away from zero; sums of money
  are exact. No result is beyond a million million.
- An account that does not say when it was reported was reported when it was
  closed, and if it was not closed, on the as-of date.
- A credit card's instalment is 5 percent of its balance, whatever else is
  reported.
- The ratio of emi divides by the instalments of all live accounts of every age
  and product. Accounts on file are those of the same product and every age.
- An enquiry is for a small-ticket loan when the amount asked says so, an account
  is one when the sanctioned amount does. Without the amount neither is.
- Issued bounces and deposited returns count whichever way they are booked.
  A mandate or cheque is honoured when it was debited and did not bounce. One that
  is both counts in both.
- Days are covered from the first known balance to the last transaction; a day
  without one ends as the day before did. Monthly income, by which the average
  balance is divided, is the window's income × 30 ÷ days covered in it.
- Declared income, by which income_gap is divided, is counted once for every
  whole month in the window; detected instalments are those of the same months.

## The vector

Features stand in name order. The vector's hash is the SHA-256 of the canonical
JSON of the list of ` + "`[name, value]`" + ` in that order, with every feature in it and null
where there is no value. Stored vectors are binary and are rendered when read.

## Reference

Features that a policy does not use are ranked by their distance from what an
ordinary borrower shows, in scales. The figures below are plausible constants,
not measurements, and decide nothing. With e events in 30 days, the product's
share p and a window of W days, the mean of count is e·p·W ÷ 30 (the scale is the
same, at least 1); of sum it is that times the value (at least one value); of avg
the value; of max one and a half values; of trend 0 (scale 0.5); of ratio the
ratio (at least 0.25).

`

// aggregationTexts describes each aggregation.
var aggregationTexts = map[string]string{
	CountOf: "number of events",
	Sum:     "total of their values",
	Max:     "largest value",
	Avg:     "sum ÷ count",
	Trend: "(R − O) ÷ (abs R + abs O), from −1 to 1: R is the sum of the newest ⌊W/2⌋ days, O of the ⌊W/2⌋ before; " +
		"of monthly metrics, R of the months in the window, O of as many before",
	Ratio: "see the metric; of the same window and product unless it says otherwise",
}

// WriteMarkdown writes the definition of the features as a page.
func WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString("| Window | Days | Months of monthly metrics |\n|---|---|---|\n")
	for i, days := range windowsDays {
		fmt.Fprintf(&b, "| `%dd` | %d | %d |\n", days, days, windowMonths[i])
	}
	b.WriteString("\n## Aggregations\n\n| Aggregation | Value |\n|---|---|\n")
	for _, a := range aggregations {
		fmt.Fprintf(&b, "| `%s` | %s |\n", a, aggregationTexts[a])
	}
	fmt.Fprintf(&b, "\n## Metrics\n\n%d metrics and %d pairs of metric and product make %d features.\n\n",
		len(metrics), len(plan.pairs), Count)
	b.WriteString("| Metric | Source | Events | Placed in time when | Value | Ratio | Products " +
		"|\n|---|---|---|---|---|---|---|\n")
	for i := range metrics {
		m := &metrics[i]
		dated := m.Dated
		if m.Monthly {
			dated += ", monthly"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s, %s | %s | %s |\n",
			m.Name, m.Source, m.Event, dated, m.Value, m.Unit, m.Ratio, strings.Join(m.Products, ", "))
	}
	b.WriteString("\n## Products and channels\n\n| Product or channel | Meaning |\n|---|---|\n")
	for _, p := range productTable {
		fmt.Fprintf(&b, "| `%s` | %s |\n", p.name, p.text)
	}
	b.WriteString(pageRules)
	writeReference(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeReference(b *strings.Builder) {
	b.WriteString("| Metric | Events in 30 days | Value | Ratio |\n|---|---|---|---|\n")
	for i := range metrics {
		m := &metrics[i]
		t := m.typical
		fmt.Fprintf(b, "| `%s` | %s | %d %s | %s |\n", m.Name, fixed(t.events), t.value, m.Unit, fixed(t.ratio))
	}
	b.WriteString("\n| Product or channel | Share |\n|---|---|\n")
	for _, p := range productTable {
		fmt.Fprintf(b, "| `%s` | %d %% |\n", p.name, p.share)
	}
}

// fixed formats a number of ten-thousandths.
func fixed(value int64) string {
	var text [longestValue]byte
	return string(text[:putDecimal(&text, value)])
}
