package decisioning

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// DecisionRow is a decision in a list for people. It has the parts of the outcome that remain after the applicant is
// erased. These parts are not encrypted, so reading them needs no key.
type DecisionRow struct {
	DecisionSummary
	Known      bool   // whether the outcome is known; false if a decision from before the journal has no entry yet
	Score      string // the final score
	points     int64  // the final score, as a number that can be compared
	AskedPaise int64  // the amount asked for; 0 if none is known
	LimitPaise int64  // the amount offered; 0 if nothing is offered
	RateBP     int64  // hundredths of a percent; 0 if nothing is offered
	Reason     string // the code of the first reason; "" if there is none
}

func rowOf(d *store.Decision) DecisionRow {
	row := DecisionRow{DecisionSummary: summaryOf(d)}
	o, _, err := journal.ReadPlain(d.Plain)
	if err != nil {
		return row // the error is reported when the decision itself is read
	}
	row.Known, row.Score, row.points = true, o.Score.String(), int64(o.Score)
	row.AskedPaise, row.LimitPaise, row.RateBP = o.AskedRupees.Paise(), o.LimitPaise, o.RateBP
	if len(o.Reasons) > 0 {
		row.Reason = o.Reasons[0]
	}
	return row
}

// DecisionRows lists stored decisions like Decisions, with their outcomes. If f has a ReferencePrefix, the
// decisions are sorted by reference in descending order, and the order of l is ignored, because no index sorts
// these decisions by time.
func (s *Service) DecisionRows(
	ctx context.Context, p tenant.Principal, f DecisionFilter, l operation.List,
) (operation.Page[DecisionRow], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[DecisionRow]{}, err
	}
	filters, decisions := f.marks(), s.core.Scope(p).Decisions(ctx)
	if f.ReferencePrefix != "" {
		return rowsByReference(p, decisions, f, l)
	}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[DecisionRow]{}, err
	}
	rows, next, err := decisions.ListPlain(f.stored(), within(page, f.IDPrefix))
	if err != nil {
		return operation.Page[DecisionRow]{}, err
	}
	return operation.PagedUntil(l, p, rowsOf(rows), next, filters...), nil
}

// within limits a page to the decisions whose ids begin with idPrefix, which may be empty.
func within(page store.Page, idPrefix string) store.Page {
	if idPrefix == "" {
		return page
	}
	from, to := idRange(idPrefix)
	page.FromID = max(page.FromID, from)
	return before(page, to)
}

// before limits a page to the decisions whose ids are less than id.
func before(page store.Page, id string) store.Page {
	if page.ToID == "" || id < page.ToID {
		page.ToID = id
	}
	return page
}

func rowsOf(rows []store.Decision) []DecisionRow {
	list := make([]DecisionRow, len(rows))
	for i := range rows {
		list[i] = rowOf(&rows[i])
	}
	return list
}

// IsIDPrefix reports whether text is the beginning of a decision's id. The text must be longer than the prefix that
// all ids of decisions have, and shorter than a whole id.
func IsIDPrefix(text string) bool {
	rest, found := strings.CutPrefix(text, string(tenant.KindDecision))
	return found && rest != "" && len(text) < idLength && strings.Trim(rest, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == ""
}

var idLength = len(tenant.FirstID(tenant.KindDecision, time.Time{}))

// idRange returns the first id with a prefix, and a text after the last such id. Both consist only of characters that
// ids have. All databases sort these characters in the same order.
func idRange(prefix string) (from, to string) {
	return prefix, prefix + strings.Repeat("Z", idLength+1-len(prefix))
}

// rowsByReference lists the decisions whose references begin with f.ReferencePrefix.
func rowsByReference(
	p tenant.Principal, decisions store.DecisionReader, f DecisionFilter, l operation.List,
) (operation.Page[DecisionRow], error) {
	out := operation.Page[DecisionRow]{Limit: l.Limit}
	place, err := l.After(p, f.marks())
	if err != nil {
		return out, err
	}
	var after store.ReferencePosition
	if place != "" {
		var found bool
		after.ID, after.Ref, found = strings.Cut(place, "\n")
		if !found || !tenant.Valid(tenant.KindDecision, after.ID) ||
			!utf8.ValidString(after.Ref) || strings.ContainsRune(after.Ref, 0) {
			return out, operation.NotACursor()
		}
	}
	rows, next, err := decisions.ByReference(f.ReferencePrefix, f.stored(), store.Page{
		Limit:      l.Limit,
		FromMicros: operation.Micros(l.From),
		ToMicros:   operation.Micros(l.To),
	}, after)
	if err != nil {
		return out, err
	}
	out.Data = rowsOf(rows)
	if next.ID != "" {
		out.NextCursor = l.CursorAfter(p, f.marks(), next.ID+"\n"+next.Ref)
	}
	return out, nil
}
