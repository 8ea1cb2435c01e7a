package console

import (
	"fmt"
	"io"
	"strconv"

	"verdict/internal/batchdesk"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/sheet"
	"verdict/internal/tenant"
)

// batchPages serves the batches that run as jobs: the list, a new batch from a file, and one batch with its progress,
// its counts and the rows that were not decided.
type batchPages struct {
	batches  *batchdesk.Service
	versions policyVersions
	people   directory
}

func (p *batchPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/batches", handle: p.list, scope: tenant.Read},
		{pattern: "GET /console/{env}/batches/new", handle: p.newForm, scope: tenant.Decide},
		{pattern: "POST /console/{env}/batches/file", handle: p.upload, scope: tenant.Decide, upload: true},
		{pattern: "GET /console/{env}/batches/{id}", handle: p.one, scope: tenant.Read},
		{pattern: "POST /console/{env}/batches/{id}/cancel", handle: p.cancel, scope: tenant.Decide},
		{pattern: "POST /console/{env}/batches/{id}/delete", handle: p.remove, scope: tenant.Decide},
		{
			pattern: "GET /console/{env}/batches/{id}/results.csv",
			handle:  p.results,
			scope:   tenant.Read,
			export:  true,
		},
	}
}

// batchRow is a batch with the texts that the pages show.
type batchRow struct {
	batchdesk.Batch
	By string
}

// Over reports whether the batch has ended.
func (b batchRow) Over() bool { return b.FinishedMicros != 0 }

// Failed returns the number of rows that were not decided.
func (b batchRow) Failed() (n int64) {
	for _, rows := range b.Counts.Errors {
		n += rows
	}
	return n
}

// Took returns how long the work on the rows took, or "" while it goes on.
func (b batchRow) Took() string { return took(b.StartedMicros, b.FinishedMicros) }

func (p *batchPages) rowsOf(v *visit, batches ...batchdesk.Batch) ([]batchRow, error) {
	people, err := p.people.names(v)
	if err != nil {
		return nil, err
	}
	rows := make([]batchRow, len(batches))
	for i, b := range batches {
		rows[i] = batchRow{b, people[b.CreatedBy]}
	}
	return rows, nil
}

func (p *batchPages) list(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := p.batches.List(v.ctx, v.caller(), filters.Value("status"), list)
	if err != nil {
		return err
	}
	rows, err := p.rowsOf(v, page.Data...)
	if err != nil {
		return err
	}
	return v.render("batches", "Batches", struct {
		Filters *form
		States  []option
		Rows    []batchRow
		Pager   pager
	}{filters, stateOptions(batchdesk.States()), rows, v.pager(page.NextCursor)})
}

// countLine is the number of rows with one status or one error code. Name is that status or code.
type countLine struct {
	Name string
	Rows int64
}

// policyCount is the number of rows that a version of a policy decided.
type policyCount struct {
	decisioning.PolicyRef
	Name string
	Rows int64
}

// one renders the page of a single batch.
func (p *batchPages) one(v *visit) error {
	batch, err := p.batches.Get(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}
	rows, err := p.rowsOf(v, batch)
	if err != nil {
		return err
	}
	policies, _, err := p.versions.names(v)
	if err != nil {
		return err
	}
	data := struct {
		Batch    batchRow
		Statuses []countLine
		Codes    []countLine
		Policies []policyCount
		Problems batchProblems
	}{Batch: rows[0], Statuses: countLines(batch.Counts.Statuses), Codes: countLines(batch.Counts.Errors)}
	for _, ref := range batch.Counts.Sorted() {
		name := fmt.Sprintf("%s, version %d", ref.Key, ref.Version)
		if known, ok := policies[ref.ID]; ok {
			name = known.Name
		}
		data.Policies = append(data.Policies, policyCount{ref, name, batch.Counts.Policies[ref]})
	}
	if len(batch.Counts.Errors) > 0 && !batch.Expired {
		if data.Problems, err = p.problems(v, batch.ID); err != nil {
			return err
		}
	}
	return v.render("batch", "Batch", data)
}

// countLines returns one line for each name, with its count.
func countLines(counts map[string]int64) (lines []countLine) {
	for _, name := range batchdesk.Names(counts) {
		lines = append(lines, countLine{name, counts[name]})
	}
	return lines
}

func (p *batchPages) cancel(v *visit) error {
	return v.carryOut(func() error {
		_, err := p.batches.Cancel(v.ctx, v.caller(), v.id("id"), nil)
		return err
	}, p.one, "The batch is being cancelled. Rows that were decided, or are being decided now, stay decided.",
		"/batches/"+v.id("id"))
}

func (p *batchPages) remove(v *visit) error {
	return v.carryOut(func() error {
		return p.batches.Delete(v.ctx, v.caller(), v.id("id"))
	}, p.one, "The batch and its results were deleted. Its decisions remain.", "/batches")
}

// resultColumns are the columns of the file with the results.
var resultColumns = []string{
	"row", "decision_id", "status", "grade", "policy_key", "policy_version", "error_code", "error_detail", "error_at",
}

// results sends the outcomes of all rows as a CSV file.
func (p *batchPages) results(v *visit) error {
	return v.export(v.id("id")+"-results.csv", func(out io.Writer, pause func()) error {
		file := sheet.NewWriter(out)
		begun := false
		begin := func() {
			if !begun {
				begun = true
				writeCells(file, resultColumns)
			}
		}
		send := func(row batchdesk.Row) error {
			begin()
			writeCells(file, resultCells(&row))
			return file.Flush()
		}
		err := p.batches.Results(v.resources.Slot.Extend(v.r.Context()), v.caller(), v.id("id"), batchdesk.Window{},
			send, pause)
		if err != nil {
			return err
		}
		begin()
		return file.Flush()
	})
}

// writeCells writes a row of a file.
func writeCells(file *sheet.Writer, cells []string) {
	for _, cell := range cells {
		file.Text(cell)
	}
	file.End()
}

// resultCells returns the cells of a row of the results. Rows are counted from 1, as people count the rows of a file.
func resultCells(row *batchdesk.Row) []string {
	number := strconv.FormatInt(row.Index+1, 10)
	if row.Err != nil {
		at := ""
		if len(row.Err.Items) > 0 {
			at = row.Err.Items[0].Pointer
		}
		return []string{number, "", "", "", "", "", row.Err.Code, row.Err.Detail, at}
	}
	return []string{
		number, row.DecisionID, row.Status, row.Grade, row.Policy.Key, strconv.FormatInt(row.Policy.Version, 10), "",
		"", "",
	}
}

// inFile assigns the fault of an upload to the field of the file, unless the fault belongs to a field of the form.
func inFile(err error) error {
	refusal := fault.Of(err)
	if refusal == nil || len(refusal.Items) > 0 || refusal.Kind != fault.Invalid && refusal.Kind != fault.TooLarge {
		return err
	}
	var faults fault.List
	faults.Add("/file", refusal.Code, "%s", refusal.Detail)
	return faults.Err()
}
