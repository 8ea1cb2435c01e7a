package feature

import (
	"fmt"
	"io"
	"strings"
)

// pageHead is the part of the page that does not come from the catalogue.
const pageHead = `# Features

What the feature factory measures, and how. This page, the names of the features
and their computation are all made from the catalogue in internal/feature; a test
checks that the page is current.

A name is ` + "`{metric}__{product}__{window}d__{aggregation}`" + `, such as
` + "`enquiry__personal_loan__90d__count`" + `.

## Windows

All dates are days in India. Features are measured as of the date of the bureau
report, or of the request if the report has no date. An event is in a window of
W days if it happened on that day or at most W − 1 days before. Events with a
later date are ignored, with the warning ` + "`later_event`" + `; an account that was opened
later is ignored with everything it reports. An event without a date is in no
window.

Monthly metrics count whole months instead, back from the newest month that the
source reports for any account. If that month is more than two months before the
month of the as-of date, they start two months before it instead, so an old source
has no event in the short windows. Payment histories may report the current month;
months of a statement must have ended. The window of 7 days contains the newest
month if that month ended on one of those 7 days, and otherwise nothing.

## Catalogues

There are two versions of the definitions, with the same names. The semantics of a
policy determines the catalogue of its vectors: catalogue 1 belongs to semantics 1,
and catalogue 2 to semantics 2. The answer and the stored vector name it
(` + "`catalogue`" + `), and vectors of both stay readable. If policies of both semantics
read one application, as in a replay or a preview, each reads the features of its
own catalogue.

| Catalogue | A window that begins before the bank statement | Microfinance accounts that Equifax lists separately |
|---|---|---|
| 1 | counts the days before the statement as days without events | are not counted |
| 2 | has no value: all six aggregations of every bank metric are absent | are counted as accounts |

The statement begins on the day of its first transaction; a statement without
transactions covers no window. The window of a monthly bank metric begins on the
first day of its oldest month. A trend of such a metric still compares the window
with the months before it, and counts months before the statement as 0.

## On request, or always

Features are measured if an evaluate request has ` + "`\"features\": true`" + `, and for every
evaluate request if the policy has ` + "`\"features\": \"auto\"`" + `. Measured features are
always stored, but the answer shows them only if the request has ` + "`\"features\": true`" + `.
If a policy names features and they were not measured, its rules on them cannot
fire: the answer has the warning ` + "`features_not_requested`" + ` with the names. There is
no such warning if the features were measured, but the report or the statement
lacks the data for them.

`

// pageRules explains how values are computed and when there is none.
const pageRules = `
## No value, no event, zero

- If the source is absent, or in catalogue 2 does not cover the window, none of
  the six aggregations has a value.
- If the source is present and no event is in the window, count and sum are 0;
  max, avg and trend have no value; the ratio is 0 unless its base is 0.
- A ratio has no value if its base is 0 or the base's source is absent: without
  accounts, enquiries have a count and no ratio.
- A trend has no value if both of its totals are 0, or if no event is in the
  window, even if a monthly metric had events before the window.

To a policy, a feature without a value is an absent field.

| Metrics of | are absent without |
|---|---|
| enquiries | a list of enquiries, which may be empty; mere counts of enquiries are not enough |
| accounts | a list of accounts, which may be empty |
| payment months | a month of payment history in any account |
| transactions | a list of transactions, which may be empty; ` +
	`in catalogue 2 a transaction no later than the window's first day |
| balances | a transaction with a balance by the as-of date |
| income_gap, emi_gap | a whole month by the as-of date, and the declared income or instalments |

## Values

- An amount that was not given counts as 0: its event is counted and adds
  nothing. An amount above ₹10,000 crore counts as ₹10,000 crore. A balance in the
  borrower's favour is not a debt: it counts as 0 in outstanding and overdue.
- Results have four decimal places, rounded half away from zero; sums of money
  are exact. No result is greater than a million million.
- An account without a reporting date counts as reported when it was closed, or on
  the as-of date if it was not closed.
- A credit card's instalment is 5 percent of its balance, whatever else is
  reported.
- The ratio of emi divides by the instalments of all live accounts of every age
  and product. Accounts on file are those of the same product and every age.
- An enquiry is for a small-ticket loan if the amount asked for is small enough,
  and an account is one if the sanctioned amount is. Without the amount it is not.
- Issued bounces and deposited returns count whichever way they are booked.
  A mandate or cheque is honoured if it was debited and did not bounce. A
  transaction that is both a mandate and a cheque counts in both.
- Days are covered from the first known balance to the last transaction; a day
  without a balance has the balance of the day before. The average balance is
  divided by the monthly income, which is the window's income × 30 ÷ the number of
  days covered in it.
- income_gap is divided by the declared income, counted once for every whole month
  in the window; detected instalments are those of the same months.

## The vector

Features are in the order of their names. The vector's hash is the SHA-256 of the
canonical JSON of the list of ` + "`[name, value]`" + ` in that order, with every feature,
and null for a feature without a value. Stored vectors are binary and are rendered
when read.

## Reference

Features that a policy does not use are ranked by their distance from those of an
ordinary borrower, in multiples of a scale. The figures below are plausible
constants, not measurements, and affect no decision. Here e is the number of events
in 30 days, p the product's share and W the window in days, with 30 days to a month.

| Aggregation | Mean | Scale |
|---|---|---|
| count | e·p·W ÷ 30 | the mean, at least 1 |
| sum | the mean of count × the value | the mean, at least the value |
| max | 1.5 × the value | the mean |
| avg | the value | the mean |
| trend | 0 | 0.5 |
| ratio | the ratio | the mean, at least 0.25 |

`

// aggregationTexts describes each aggregation.
var aggregationTexts = map[string]string{
	CountOf: "number of events",
	Sum:     "total of their values",
	Max:     "largest value",
	Avg:     "sum ÷ count",
	Trend: "(R − O) ÷ (abs R + abs O), from −1 to 1: R is the sum of the newest ⌊W/2⌋ days, O the sum of the ⌊W/2⌋ " +
		"days before; for monthly metrics, R is the sum of the months in the window, O of as many months before",
	Ratio: "see the metric; over the same window and product unless the metric says otherwise",
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
