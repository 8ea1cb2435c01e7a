package decisioning

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Rank is a property of decisions by which RankedRows sorts. It is never empty.
type Rank string

// The properties by which decisions can be ranked: the final score, the amount asked for and the amount offered.
const (
	RankScore   Rank = "score"
	RankAsked   Rank = "asked"
	RankOffered Rank = "offered"
)

// MaxRanked is the maximum number of decisions that RankedRows sorts. They are the newest ones. No index has the score
// or an amount, because every index makes every decision slower to store.
const MaxRanked = 500

// maxRankReads is the maximum number of pages that RankedRows reads. With several filters a page may have few rows.
const maxRankReads = 3

// RankedPage is a page of a ranked list.
type RankedPage struct {
	operation.Page[DecisionRow]
	Sorted   int  // the number of decisions that were sorted
	Complete bool // whether these are all decisions that match the filter
}

// RankedRows sorts the newest decisions that match f, at most MaxRanked, by their score or an amount, and returns a
// page of them. The highest value comes first, or, if l is ascending, the lowest. Decisions without the value come
// last, and of equal decisions the newest comes first. RankedRows does not use f.ReferencePrefix.
func (s *Service) RankedRows(
	ctx context.Context, p tenant.Principal, f DecisionFilter, by Rank, l operation.List,
) (RankedPage, error) {
	if err := p.Require(tenant.Read); err != nil {
		return RankedPage{}, err
	}
	f.ReferencePrefix = ""
	marks := append(f.marks(), "ranked", string(by))
	newest, from, err := rankPlace(p, l, marks)
	if err != nil {
		return RankedPage{}, err
	}
	out, rows, err := s.newest(ctx, p, f, l, newest)
	if err != nil {
		return RankedPage{}, err
	}
	if len(rows) > 0 {
		newest = rows[0].ID
	}
	sortByRank(rows, by, l.Ascending)
	from = min(from, len(rows))
	to := min(from+l.Limit, len(rows))
	out.Data, out.Limit = rows[from:to], l.Limit
	if to < len(rows) {
		out.NextCursor = l.CursorAfter(p, marks, newest+"\n"+strconv.Itoa(to))
	}
	return out, nil
}

// rankPlace decodes the cursor of a ranked list: the newest decision of the list, so that all pages sort the same
// decisions, and the number of decisions on the pages before.
func rankPlace(p tenant.Principal, l operation.List, marks []string) (newest string, from int, err error) {
	place, err := l.After(p, marks)
	if err != nil || place == "" {
		return "", 0, err
	}
	newest, number, _ := strings.Cut(place, "\n")
	from, err = strconv.Atoi(number)
	if err != nil || from < 1 || from > MaxRanked || !tenant.Valid(tenant.KindDecision, newest) {
		return "", 0, operation.NotACursor()
	}
	return newest, from, nil
}

// newest returns the newest decisions that match f, the newest first, at most MaxRanked. If newest is not empty, no
// decision after newest is among them. The page that it returns has only Sorted and Complete.
func (s *Service) newest(
	ctx context.Context, p tenant.Principal, f DecisionFilter, l operation.List, newest string,
) (RankedPage, []DecisionRow, error) {
	l.Cursor, l.Ascending, l.Limit = "", false, operation.MaxLimit
	page, err := l.Page(p)
	if err != nil {
		return RankedPage{}, nil, err
	}
	page = within(page, f.IDPrefix)
	if newest != "" {
		page = before(page, newest+"0") // the first text after newest
	}

	var rows []store.Decision
	for reads := 0; ; {
		more, next, err := s.core.Scope(p).Decisions(ctx).ListPlain(f.stored(), page)
		if err != nil {
			return RankedPage{}, nil, err
		}
		rows = append(rows, more...)
		over := len(rows) > MaxRanked
		if reads++; over || next.ID == "" || reads == maxRankReads {
			rows = rows[:min(len(rows), MaxRanked)]
			return RankedPage{Sorted: len(rows), Complete: !over && next.ID == ""}, rowsOf(rows), nil
		}
		page.AfterMicros, page.AfterID = next.Micros, next.ID
	}
}

// sortByRank sorts rows, of which the newest comes first.
func sortByRank(rows []DecisionRow, by Rank, lowest bool) {
	value := func(r *DecisionRow) (n int64, known bool) {
		switch by {
		case RankAsked:
			return r.AskedPaise, r.AskedPaise != 0
		case RankOffered:
			return r.LimitPaise, r.LimitPaise != 0
		}
		return r.points, r.Known
	}
	slices.SortStableFunc(rows, func(a, b DecisionRow) int {
		x, knownX := value(&a)
		y, knownY := value(&b)
		switch {
		case knownX != knownY && knownX:
			return -1
		case knownX != knownY:
			return 1
		case lowest:
			return cmp.Compare(x, y)
		}
		return cmp.Compare(y, x)
	})
}
