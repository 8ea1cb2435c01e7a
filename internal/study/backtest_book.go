package study

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// MaxBookRows is the maximum number of rows of a book for RunBook.
const MaxBookRows = 20_000

// MaxSeed is the largest seed. A float64, and therefore every JSON reader, represents
// every integer up to MaxSeed exactly.
const MaxSeed = 1e15

// Book describes a synthetic book.
type Book struct {
	Rows int64
	backtest.Book
}

// DefaultBook returns the book for a request that does not describe one.
func DefaultBook() Book {
	return Book{Rows: 1_000, Book: backtest.Book{Seed: backtest.DefaultSeed}}
}

// check adds the faults of the book to faults. at is the JSON pointer of the
// book.
func (b *Book) check(faults *fault.List, at string, maxRows int64) {
	c := faults.Check(at)
	if b.Rows < 1 || b.Rows > maxRows {
		c.Fail("n", fault.CodeOutOfRange, "must lie between 1 and %d", maxRows)
	}
	if b.Seed > MaxSeed {
		c.Fail("seed", fault.CodeOutOfRange, "must lie between 0 and %d", int64(MaxSeed))
	}
	if c.Ok("months") && c.Ok("bad_rate") {
		b.Book.Check(at, faults)
	}
}

// BookRequest is a request for a run over a synthetic book.
type BookRequest struct {
	Policies
	Book Book
}

// Check adds the faults of the request to faults.
func (r *BookRequest) Check(faults *fault.List) {
	r.Book.check(faults, "", MaxBookRows)
	r.Policies.check(faults)
}

// RunBook runs a policy over a synthetic book and returns the run with its report. The
// same book gives the same report, except for the id and the times. The run is stored
// and billed like any backtest.
func (s *Backtests) RunBook(ctx context.Context, p tenant.Principal, r BookRequest) (Backtest, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Backtest{}, err
	}
	var faults fault.List
	r.Check(&faults)
	if err := faults.Err(); err != nil {
		return Backtest{}, err
	}
	a := &asked{source: sourceSynthetic, endpoint: EndpointBook}
	a.useBook(r.Book)
	if err := s.findPolicies(ctx, p, a, r.Policies); err != nil {
		return Backtest{}, err
	}
	if err := s.runs.afford(ctx, p, a); err != nil {
		return Backtest{}, err
	}
	if err := a.admit(a.rows, MaxBookRows); err != nil { // the quota may allow fewer rows
		return Backtest{}, err
	}
	scope := s.core.Scope(p)
	rows, run, err := s.feed(scope, a)
	if err != nil {
		return Backtest{}, err
	}
	var held []piece
	for {
		piece, err := rows.next(ctx, false)
		if err != nil {
			break // a book returns no error except io.EOF
		}
		held = append(held, piece)
	}
	return operation.WriteInSteps(ctx, s.core, scope, nil, func(commit operation.Commit[Backtest]) (Backtest, error) {
		return s.answerNow(ctx, p, scope, s.newRun(p, a, run), held, commit)
	})
}

// bookTally sums up a synthetic book. All sums are integers, so the result does not
// depend on how the rows were split.
type bookTally struct {
	rows, newToCredit int64
	score             int64 // sum of the scores of the applicants that have a score
	incomePaise       int64
	asked             int64 // sum of the requested amounts, in paise
}

// lowestScore is the lowest credit score. The codes for new-to-credit applicants are
// lower.
const lowestScore = 300

func (t *bookTally) add(book backtest.Book, rows []byte) {
	header := book.Header()
	score := slices.Index(header, "score")
	income := slices.Index(header, "monthly_income")
	amount := slices.Index(header, "requested_amount")
	cursor := sheet.NewCursor(len(header))
	cursor.Reset(rows)
	number := func(cell []byte, places int) int64 {
		n, _, _ := wire.ParseDecimal(string(cell), places)
		return n
	}
	for cursor.Next() {
		cells := cursor.Cells()
		t.rows++
		if n := number(cells[score], 0); n < lowestScore {
			t.newToCredit++
		} else {
			t.score += n
		}
		t.incomePaise += number(cells[income], 2)
		t.asked += number(cells[amount], 2)
	}
}

func (t *bookTally) merge(u bookTally) {
	t.rows, t.newToCredit, t.score = t.rows+u.rows, t.newToCredit+u.newToCredit, t.score+u.score
	t.incomePaise, t.asked = t.incomePaise+u.incomePaise, t.asked+u.asked
}

// append appends the encoded tally to dst. In a stored chunk, the tally comes before
// the result.
func (t *bookTally) append(dst []byte) []byte {
	for _, n := range []int64{t.rows, t.newToCredit, t.score, t.incomePaise, t.asked} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

// read decodes a tally that append has written, and returns the remaining bytes.
func (t *bookTally) read(data []byte) ([]byte, error) {
	for _, into := range []*int64{&t.rows, &t.newToCredit, &t.score, &t.incomePaise, &t.asked} {
		n, size := binary.Varint(data)
		if size <= 0 {
			return nil, errors.New("read a chunk's result: it is truncated")
		}
		*into, data = n, data[size:]
	}
	return data, nil
}

func (t *bookTally) write(w *wire.Writer) {
	w.Object().Key("n").Int(t.rows)
	if scored := t.rows - t.newToCredit; scored > 0 {
		w.Key("avg_score").Decimal(ratio(t.score, scored, 2), 2)
	}
	if t.rows > 0 {
		w.Key("avg_income").Decimal(ratio(t.incomePaise, t.rows, 0), 2)
		w.Key("avg_requested_amount").Decimal(ratio(t.asked, t.rows, 0), 2)
		w.Key("share_ntc").Decimal(ratio(t.newToCredit, t.rows, rule.Places), rule.Places)
	}
	w.EndObject()
}

// ratio returns a/b with the given decimal places, rounded half up. Neither a nor b
// may be negative.
func ratio(a, b int64, places int) int64 {
	for range places {
		a *= 10
	}
	return (2*a + b) / (2 * b)
}
