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

// MaxBookRows is the largest book that is answered at once.
const MaxBookRows = 20_000

// RunBook runs a policy over a synthetic book: the options say which, with the
// members of a backtest's synthetic beside those that name policies. The same
// seed gives the same answer but for its id and its times. It is stored and
// billed as any backtest.
func (s *Service) RunBook(ctx context.Context, p tenant.Principal, options wire.Value) (operation.Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return operation.Answer{}, err
	}
	a := &asked{source: sourceSynthetic, endpoint: EndpointBook}
	var faults fault.List
	f := wire.NewForm(options, &faults)
	f.Known("rule_set_id", "challenger_rule_set_id", "policy_key")
	a.setup = backtest.ReadSetup(options, &faults)
	a.readBook(&f, MaxBookRows, &faults)
	f.Done()
	if err := s.findPolicies(ctx, p, a, options, &faults); err != nil {
		return operation.Answer{}, InQuery(err)
	}
	if err := s.afford(ctx, p, a); err != nil {
		return operation.Answer{}, err
	}
	if err := a.admit(a.rows, MaxBookRows); err != nil { // the quota may have less room
		return operation.Answer{}, err
	}
	scope := s.core.Scope(p)
	rows, run, err := s.feed(scope, a)
	if err != nil {
		return operation.Answer{}, InQuery(err)
	}
	var held []piece
	for {
		piece, err := rows.next(ctx, false)
		if err != nil {
			break // a book has no errors, only an end
		}
		held = append(held, piece)
	}
	return s.core.Once(ctx, scope, nil, func(keep operation.Keep) (operation.Answer, error) {
		return s.answerNow(ctx, p, scope, s.newRun(p, a, run), held, keep)
	})
}

// InQuery points at parameters where a refusal points at members. The header is
// the file's own.
func InQuery(err error) error {
	return fault.Retold(err, func(item fault.Item) fault.Item {
		if len(item.Pointer) > 1 && !strings.HasPrefix(item.Pointer, "/header") {
			item.Pointer = "?" + item.Pointer[1:]
		}
		return item
	})
}

// bookTally sums up a synthetic book. All of it are whole numbers, so it does
// not depend on how the rows were cut.
type bookTally struct {
	rows, newToCredit int64
	score             int64 // of those who have one
	incomePaise       int64
	asked             int64 // paise
}

// lowestScore is below all scores and above all codes of the new to credit.
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

// append writes the tally in front of a chunk's result.
func (t *bookTally) append(dst []byte) []byte {
	for _, n := range []int64{t.rows, t.newToCredit, t.score, t.incomePaise, t.asked} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

// read reads what append wrote and returns what follows.
func (t *bookTally) read(data []byte) ([]byte, error) {
	for _, into := range []*int64{&t.rows, &t.newToCredit, &t.score, &t.incomePaise, &t.asked} {
		n, size := binary.Varint(data)
		if size <= 0 {
			return nil, errors.New("read a chunk's result: it is cut short")
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

// ratio is a/b to some decimals, half up, of numbers that are not negative.
func ratio(a, b int64, places int) int64 {
	for range places {
		a *= 10
	}
	return (2*a + b) / (2 * b)
}
