package study

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// MaxBookRows is the largest book that RunBook answers.
const MaxBookRows = 20_000

// RunBook runs a policy over a synthetic book. The options have the members of
// "synthetic" in a backtest and those that name policies. The same seed gives the same
// answer, except for its id and times. The run is stored and billed like any backtest.
func (s *Backtests) RunBook(ctx context.Context, p tenant.Principal, options wire.Value) (Backtest, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Backtest{}, err
	}
	a := &asked{source: sourceSynthetic, endpoint: EndpointBook}
	var faults fault.List
	f := wire.NewForm(options, &faults)
	f.Known("rule_set_id", "challenger_rule_set_id", "policy_key")
	a.setup = backtest.ReadSetup(options, &faults)
	a.readBook(&f, MaxBookRows, &faults)
	f.Done()
	if err := s.findPolicies(ctx, p, a, options, &faults); err != nil {
		return Backtest{}, InQuery(err)
	}
	if err := s.runs.afford(ctx, p, a); err != nil {
		return Backtest{}, err
	}
	if err := a.admit(a.rows, MaxBookRows); err != nil { // the quota may have less room
		return Backtest{}, err
	}
	scope := s.core.Scope(p)
	rows, run, err := s.feed(scope, a)
	if err != nil {
		return Backtest{}, InQuery(err)
	}
	var held []piece
	for {
		piece, err := rows.next(ctx, false)
		if err != nil {
			break // a book has no errors, only an end
		}
		held = append(held, piece)
	}
	return operation.Through(ctx, s.core, scope, nil, func(commit operation.Commit[Backtest]) (Backtest, error) {
		return s.answerNow(ctx, p, scope, s.newRun(p, a, run), held, commit)
	})
}

// InQuery changes the pointers of a refusal from members to query parameters. It keeps
// pointers into the header of the file.
func InQuery(err error) error {
	return fault.Retold(err, func(item fault.Item) fault.Item {
		if len(item.Pointer) > 1 && !strings.HasPrefix(item.Pointer, "/header") {
			item.Pointer = "?" + item.Pointer[1:]
		}
		return item
	})
}

// bookTally sums up a synthetic book. All sums are integers, so the result does not
// depend on how the rows were split.
type bookTally struct {
	rows, newToCredit int64
	score             int64 // sum over the applicants with a score
	incomePaise       int64
	asked             int64 // paise
}

// lowestScore is below all scores and above the codes for new-to-credit applicants.
const lowestScore = 300

func (t *bookTally) add(book backtest.Book, rows []byte) {
	header := book.Header()
	score, income, amount := slices.Index(header, "score"), slices.Index(header, "monthly_income"), slices.Index(header, "requested_amount")
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

// append appends the tally to dst. It precedes the result of a chunk.
func (t *bookTally) append(dst []byte) []byte {
	for _, n := range []int64{t.rows, t.newToCredit, t.score, t.incomePaise, t.asked} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

// read reads a tally that append wrote and returns the remaining bytes.
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

// ratio returns a/b with the given decimal places, rounded half up. Neither number
// may be negative.
func ratio(a, b int64, places int) int64 {
	for range places {
		a *= 10
	}
	return (2*a + b) / (2 * b)
}
