package feature

import (
	"fmt"
	"io"
	"strings"
)

// pageHead is the introduction of the page, up to the table of windows.
const pageHead = `# Features

This page defines the features that Verdict computes from a bureau report and a
bank statement. The page, the names of the features and their computation are all
derived from the catalogue in internal/feature; a test checks that the page is
current.

A name is ` + "`{metric}__{product}__{window}d__{aggregation}`" + `, such as
` + "`enquiry__personal_loan__90d__count`" + `.

## Windows

All dates are calendar days in India. Features are computed as of the date of the
bureau report, or the date of the request if the report has no date. An event is in
a window of W days if it happened on this as-of date or at most W − 1 days before
it. Events after the as-of date are ignored, with the warning ` + "`later_event`" + `; an
account that was opened after it is ignored with all its data. An event without a
date is in no window.

The windows of monthly metrics are whole calendar months. They end with the newest
month of any account's payment history, or of the bank statement. If that month is
more than two months before the month of the as-of date, they end two months before
the month of the as-of date instead. An outdated source therefore has no event in
the short windows. A payment history may include the current month; a month of a
bank statement counts only after it has ended. The 7-day window contains the newest
month only if that month ended within the 7 days.

`

// pageCatalogues explains the catalogues and when features are computed.
const pageCatalogues = `
## Catalogues

There are two versions of the definitions, called catalogues, with the same feature
names. A policy of semantics 1 uses catalogue 1, and a policy of semantics 2 uses
catalogue 2 ([POLICY.md](POLICY.md#semantics)). The answer and the stored vector of
features name their catalogue (` + "`catalogue`" + `), and vectors of both catalogues stay
readable. If policies of both semantics read one application, as in a replay or a
preview, each reads the features of its own catalogue.

| Catalogue | A window that begins before the bank statement | Microfinance accounts that Equifax lists separately |
|---|---|---|
| 1 | counts the days before the statement as days without events | are not counted |
| 2 | has no value: all six aggregations of every bank metric are absent | are counted as accounts |

The statement begins on the day of its first transaction; a statement without
transactions covers no window. The window of a monthly bank metric begins on the
first day of its oldest month. The trend of a monthly bank metric still compares
the window with the months before it; months before the statement count as 0.

## On request, or always

Features are computed if an evaluate request has ` + "`\"features\": true`" + `, and for every
evaluate request if the policy has ` + "`\"features\": \"auto\"`" + `. Computed features are
always stored, but the answer shows them only if the request has ` + "`\"features\": true`" + `.
If a policy names features that were not computed, these features are absent, and
the answer has the warning ` + "`features_not_requested`" + ` with their names. There is no
such warning if the features were computed but the report or the statement lacks
the data for them.
`

// pageRules explains how values are computed and when there is none.
const pageRules = `
## No value, no event, zero

- If the source is absent, or in catalogue 2 does not cover the window, none of
  the six aggregations has a value.
- If the source is present and no event is in the window, count and sum are 0;
  max, avg and trend have no value; the ratio is 0 unless its base (the
  denominator) is 0.
- A ratio has no value if its base is 0 or the source of the base is absent:
  without accounts, enquiries have a count and no ratio.
- A trend has no value if both of its totals are 0, or if no event is in the
  window, even if a monthly metric had events before the window.

To a policy, a feature without a value is an absent field.

| Metrics of | are absent without |
|---|---|
| enquiries | a list of enquiries, which may be empty; counts of enquiries alone are not enough |
| accounts | a list of accounts, which may be empty, or a stated total of 0 accounts; ` +
	`in catalogue 2 a separate list of microfinance accounts is also enough |
| payment months | a month of payment history in any account |
| transactions | a list of transactions, which may be empty in catalogue 1; ` +
	`in catalogue 2 it must have a transaction on or before the window's first day |
| balances | a transaction with a balance, on or before the as-of date |
| income_gap, emi_gap | a whole month of transactions that ended by the as-of date, ` +
	`and the declared income (income_gap) or instalments (emi_gap) |

## Values

- An amount that was not given counts as 0: its event is counted and adds
  nothing to the sum. An amount above ₹10,000 crore counts as ₹10,000 crore. A
  balance in the borrower's favour is not a debt: it counts as 0 in outstanding and
  overdue.
- Results have four decimal places, rounded half away from zero; sums of money
  are exact. No result is greater than 10¹².
- An account without a reporting date counts as reported when it was closed, or on
  the as-of date if it was not closed.
- A credit card's instalment is 5 percent of its balance, whatever else is
  reported.
- The ratio of emi divides by the instalments of all live accounts, whatever their
  age and product. Accounts on file are all accounts of the same product, whatever
  their age.
- A personal loan is a small-ticket loan if the amount asked for in the enquiry, or
  the sanctioned amount of the account, is at most ₹50,000. A loan without that
  amount is not a small-ticket loan.
- Issued bounces and deposited returns count whether they are booked as debits or
  as credits. A mandate or cheque is honoured if it was debited and did not bounce.
  A transaction that is both a mandate and a cheque counts in both.
- The days covered by balances run from the first known balance to the last
  transaction. A day without a balance has the balance of the previous day. The ratio
  of eod_balance divides the average balance by a monthly income: the window's
  income × 30 ÷ the number of covered days in the window.
- The ratio of income_gap divides by the declared income times the number of whole
  months in the window. The ratio of emi_gap divides by the instalments detected in
  the same months.

## The vector

The vector lists all features in the order of their names. Its hash is the SHA-256
of the canonical JSON of the list of ` + "`[name, value]`" + ` in that order, with null for a
feature without a value. Vectors are stored in a binary form and converted to JSON
when read.

## Reference

The list ` + "`top_contributors`" + ` of an answer has at most ten features: first those
that the policy names, then the most unusual ones. The measure is the distance of a
feature from the mean of an ordinary borrower, divided by a scale. The figures below
are plausible constants, not measurements, and no decision depends on them. For a
metric with e events in 30 days, a product with the share p and a window of W days:

| Aggregation | Mean | Scale |
|---|---|---|
| count | e·p·W ÷ 30 | the mean, but at least 1 |
| sum | e·p·W ÷ 30 × value | the mean, but at least one value |
| max | 1.5 × value | the mean |
| avg | value | the mean |
| trend | 0 | 0.5 |
| ratio | ratio | the mean, but at least 0.25 |

`

// aggregationTexts describes each aggregation.
var aggregationTexts = map[string]string{
	CountOf: "number of events",
	Sum:     "total of their values",
	Max:     "largest value",
	Avg:     "sum ÷ count",
	Trend: "(R − O) ÷ (abs R + abs O), from −1 to 1. R is the sum of the newest ⌊W/2⌋ days and O the sum of the " +
		"⌊W/2⌋ days before; for monthly metrics, R is the sum of the months in the window and O the sum of as many " +
		"months before",
	Ratio: "the ratio in the table of metrics, over the same window and product unless the table says otherwise",
}

// WriteMarkdown writes the definition of the features as a page.
func WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString("| Window | Days | Months of monthly metrics |\n|---|---|---|\n")
	for i, days := range windowsDays {
		fmt.Fprintf(&b, "| `%dd` | %d | %d |\n", days, days, windowMonths[i])
	}
	b.WriteString(pageCatalogues)
	b.WriteString("\n## Aggregations\n\n| Aggregation | Value |\n|---|---|\n")
	for _, a := range aggregations {
		fmt.Fprintf(&b, "| `%s` | %s |\n", a, aggregationTexts[a])
	}
	fmt.Fprintf(&b, "\n## Metrics\n\n%d metrics in %d pairs of metric and product, "+
		"each with 6 windows and 6 aggregations, make %d features.\n\n",
		len(metrics), len(plan.pairs), Count)
	b.WriteString("| Metric | Source | Events | Dated when | Value | Ratio | Products " +
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
