package console

import (
	"fmt"
	"strconv"
	"strings"

	"verdict/internal/batchdesk"
	"verdict/internal/fault"
)

// undecided is a row that was not decided. Rows are counted from 1, as people count the rows of a file.
type undecided struct {
	batchdesk.Row
	Number  int64
	Faults  []rowFault
	Remedy  string // what to do if no single value is at fault; "" if nothing is known
	Columns string // the columns at fault, separated by commas; "" if none is known
}

// rowFault is a value of a row that is at fault.
type rowFault struct {
	Column string // the name of the column, such as applicant.monthly_income; "" for the whole row
	Said   string
	Remedy string
	Code   string
}

// batchProblems are some of the rows of a batch that were not decided.
type batchProblems struct {
	Rows  []undecided
	Pager pager
}

// scannedRows is the number of results that one page searches for rows that were not decided.
const scannedRows = 20_000

// problems returns the rows that were not decided, beginning with the index that the query names. It searches a
// limited number of rows; the next page continues.
func (p *batchPages) problems(v *visit, id string) (found batchProblems, err error) {
	first, _ := strconv.ParseInt(v.query("from"), 10, 64) // 0 if it is no number
	window := batchdesk.Window{From: max(first, 0), Limit: scannedRows}
	next := int64(-1)
	err = p.batches.Results(v.ctx, v.caller(), id, window, func(row batchdesk.Row) error {
		if row.Err != nil && len(found.Rows) == perPage && next < 0 {
			next = row.Index
		}
		if row.Err != nil && len(found.Rows) < perPage {
			found.Rows = append(found.Rows, undecidedOf(row))
		}
		if next < 0 && row.Index == window.From+scannedRows-1 {
			next = row.Index + 1
		}
		return nil
	}, func() {})
	path := v.at("/batches/" + id)
	if window.From > 0 {
		found.Pager.First = path + "#problems"
	}
	if next >= 0 {
		found.Pager.Next = fmt.Sprintf("%s?from=%d#problems", path, next)
	}
	return found, err
}

// undecidedOf describes a row that was not decided.
func undecidedOf(row batchdesk.Row) undecided {
	u := undecided{Row: row, Number: row.Index + 1, Remedy: fault.Remedy(row.Err.Code)}
	var columns []string
	for _, item := range row.Err.Items {
		f := rowFault{
			Column: columnOf(item.Pointer),
			Said:   item.Detail,
			Remedy: fault.Remedy(item.Code),
			Code:   item.Code,
		}
		if item.Nearest != "" {
			f.Remedy = "Rename it to “" + item.Nearest + "” if that is what you mean."
		}
		if f.Column != "" {
			columns = append(columns, f.Column)
		}
		u.Faults = append(u.Faults, f)
	}
	u.Columns = strings.Join(columns, ", ")
	return u
}

// columnOf converts the JSON pointer of a member to the name of its column in a CSV file.
func columnOf(pointer string) string {
	path := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range path {
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(path[i])
	}
	return strings.Join(path, ".")
}
