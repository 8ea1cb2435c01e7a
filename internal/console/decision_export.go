package console

import (
	"context"
	"io"
	"strconv"
	"time"

	"verdict/internal/civil"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/sheet"
	"verdict/internal/tenant"
)

// maxExportRows is the maximum number of decisions in one CSV file.
const maxExportRows = 100_000

// exportEnds is the last line of a file that does not have all decisions of the list.
const exportEnds = "The file ends here, because it has the maximum number of rows. Narrow the list by date."

// listCSV sends the decisions of the list as a CSV file, in the order of the list.
func (p *decisionPages) listCSV(v *visit) error {
	list, filters := v.decisionListing()
	sought := searchOf(filters)
	if len(v.form.Faults) > 0 {
		return errNotFound // the page links here only with valid dates
	}
	return v.export("decisions-"+string(v.env)+".csv", func(out io.Writer, pause func()) error {
		ctx := v.resources.Slot.Extend(v.r.Context())
		return p.exportRows(ctx, v.caller(), sought.DecisionFilter, list, out, pause)
	})
}

// exportRows writes the decisions that match a filter, at most maxExportRows. It calls pause between two pages.
func (p *decisionPages) exportRows(
	ctx context.Context, who tenant.Principal, f decisioning.DecisionFilter, l operation.List, w io.Writer,
	pause func(),
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
		page, err := p.decisions.DecisionRows(ctx, who, f, l)
		if err != nil {
			return err
		}
		for i := range page.Data {
			exportRow(out, &page.Data[i])
		}
		if written += len(page.Data); written >= maxExportRows && page.NextCursor != "" {
			page.NextCursor = ""
			out.Text(exportEnds)
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
