package console

import (
	"io"
	"strconv"
	"time"

	"verdict/internal/civil"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/sheet"
)

// maxExportRows is the maximum number of decisions in one CSV file.
const maxExportRows = 100_000

// exportEnds is the last line of a file that does not have all decisions of the list.
const exportEnds = "The file ends here, because it has the maximum number of rows. Narrow the list by date."

// rankedEnds is the last line of a file of a list by score or amount that does not have all decisions that match.
const rankedEnds = "The file ends here, because only the latest decisions can be sorted by score or amount. " +
	"Sort by time to export all."

// listCSV sends the decisions of the list as a CSV file, in the order of the list.
func (p *decisionPages) listCSV(v *visit) error {
	list, filters := v.decisionListing()
	sought := searchOf(filters)
	if len(v.form.Faults) > 0 {
		return errNotFound // the page links here only with valid dates
	}
	return v.export("decisions-"+string(v.env)+".csv", func(out io.Writer, pause func()) error {
		ctx := v.resources.Slot.Extend(v.r.Context())
		by, lowest := rankOf(filters)
		if by == "" || sought.ReferencePrefix != "" {
			return exportRows(list, out, pause, exportEnds, func(l operation.List) (decisionRows, bool, error) {
				page, err := p.decisions.DecisionRows(ctx, v.caller(), sought.DecisionFilter, l)
				return page, true, err
			})
		}
		list.Ascending = lowest
		return exportRows(list, out, pause, rankedEnds, func(l operation.List) (decisionRows, bool, error) {
			page, err := p.decisions.RankedRows(ctx, v.caller(), sought.DecisionFilter, by, l)
			return page.Page, page.Complete, err
		})
	})
}

// decisionRows is a page of the list of decisions.
type decisionRows = operation.Page[decisioning.DecisionRow]

// exportRows writes the decisions that ask returns, at most maxExportRows. It calls pause between two pages. If the
// last page is not the end of all decisions, as ask reports, or if there are more rows, the last line is ends.
func exportRows(
	l operation.List, w io.Writer, pause func(), ends string,
	ask func(operation.List) (page decisionRows, complete bool, err error),
) error {
	l.Limit, l.Cursor = operation.MaxLimit, ""
	out := sheet.NewWriter(w)
	for _, name := range []string{
		"decided_at", "applicant", "status", "grade", "score", "asked_amount", "offered_amount",
		"interest_rate_percent", "main_reason", "policy_key", "policy_version", "decision_id",
	} {
		out.Text(name)
	}
	out.End()
	for written := 0; ; pause() {
		page, complete, err := ask(l)
		if err != nil {
			return err
		}
		for i := range page.Data {
			exportRow(out, &page.Data[i])
		}
		written += len(page.Data)
		full := written >= maxExportRows && page.NextCursor != ""
		if full || !complete && page.NextCursor == "" {
			page.NextCursor = ""
			out.Text(ends)
			out.End()
		}
		if err := out.Flush(); err != nil || page.NextCursor == "" {
			return err
		}
		l.Cursor = page.NextCursor
	}
}

// exportRow writes one decision. Amounts are in rupees, and empty if they are not known.
func exportRow(out *sheet.Writer, r *decisioning.DecisionRow) {
	hundredths := func(n int64) string {
		if n == 0 {
			return ""
		}
		return decimalText(n, 2)
	}
	for _, text := range []string{
		time.UnixMicro(r.CreatedMicros).In(civil.India).Format(time.RFC3339), r.ApplicantRef, r.Status, r.Grade,
		r.Score, hundredths(r.AskedPaise), hundredths(r.LimitPaise), hundredths(r.RateBP), r.Reason, r.PolicyKey,
		strconv.FormatInt(r.PolicyVersion, 10), r.ID,
	} {
		out.Text(text)
	}
	out.End()
}
