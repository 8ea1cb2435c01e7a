package store

// ScanRows is the maximum number of rows that a statement scans without an
// index for all conditions.
const ScanRows = scanRows

// Statement is the text of a statement with its parameters, which follow those
// of the scope.
type Statement struct {
	Text string
	Args []any
}

// RareTexts returns the statements that find decisions by a filter. The search begins after the id in parameter
// after. "stretch" finds the end of the scan; "cut" and "page" read up to that end.
func RareTexts(f DecisionFilter, after, end string) map[string]Statement {
	p := Page{AfterID: after, FromMicros: 1, ToMicros: 1 << 50, FromID: "dec_0", ToID: "dec_9", Limit: 100}
	lead, value, _ := f.lead()
	stretch := scanEndQuery(p, lead, value)
	p.end = Position{ID: end}
	cut, page := nextChunkQuery(f, p, 10_000), pageOf(allColumns, f, p)
	return map[string]Statement{
		"stretch": {stretch.text.String(), stretch.args}, "cut": {cut.text.String(), cut.args},
		"page": {page.text.String(), page.args},
	}
}
