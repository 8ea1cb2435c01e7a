package backtest

import (
	"fmt"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// ReadReport reads a report from an object that WriteMembers wrote. Parts that WriteMembers does not write, such as the
// intervals of some bad rates, are unknown. A report of an earlier release may lack members, which are then unknown or
// 0. If members have the wrong type, the error wraps a *fault.Error with all of them.
func ReadReport(v wire.Value) (*Report, error) {
	var faults fault.List
	o := written{v, &faults}
	r := &Report{
		RowsTotal:       o.int("rows_total"),
		RowsEvaluated:   o.int("rows_evaluated"),
		RowsFailed:      o.int("rows_failed"),
		RowErrorsByCode: o.codes("row_errors_by_code"),
		ColumnsIgnored:  o.texts("columns_ignored"),
		Weighted:        o.bool("weighted"),
		TotalWeight:     o.figure("total_weight"),
		Side:            o.side(),
	}
	for _, e := range o.list("row_errors") {
		r.RowErrors = append(r.RowErrors, RowError{Row: e.int("row"), Field: e.text("field"), Code: e.text("code")})
	}
	for _, w := range o.list("warnings") {
		r.Warnings = append(r.Warnings, Warning{
			Code:   w.text("code"),
			Detail: w.text("detail"),
			Fields: w.texts("fields"),
		})
	}
	r.Fairness, r.Vintage = o.fairness(), o.vintage()
	if actual := o.in("actual"); actual.given() {
		r.Actual = &Actual{
			Count:         actual.int("count"),
			Matrix:        actual.matrix(),
			AgreementRate: actual.figure("agreement_rate"),
		}
	}
	if v.Get("psi_groups").Given() {
		shift := o.shift("psi")
		r.PSI = &shift
	}
	if challenger := o.in("challenger"); challenger.given() {
		r.Challenger = challenger.challenger()
	}
	if err := faults.Err(); err != nil {
		return nil, fmt.Errorf("read a report: %w", err)
	}
	return r, nil
}

// written is an object of a stored report. Its methods read members. A missing or
// null member is unknown, 0 or empty.
type written struct {
	object wire.Value
	faults *fault.List
}

func (o written) given() bool { return o.object.Given() }

func (o written) member(name string, want wire.Kind) (wire.Value, bool) {
	v := o.object.Get(name)
	if v.Given() && v.Kind() != want {
		o.faults.Add(v.Pointer(), fault.CodeWrongType, "must be %s, but is %s", want, v.Kind())
		return wire.Value{}, false
	}
	return v, v.Given()
}

func (o written) decimal(name string, places int) (coef int64, known bool) {
	v, ok := o.member(name, wire.Number)
	if !ok {
		return 0, false
	}
	coef, exact, ok := wire.ParseDecimal(v.Text(), places)
	if !ok || !exact {
		o.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be a number with at most %d decimals", places)
		return 0, false
	}
	return coef, true
}

func (o written) int(name string) int64 {
	n, _ := o.decimal(name, 0)
	return n
}

func (o written) figure(name string) Figure {
	n, known := o.decimal(name, rule.Places)
	return Figure{Value: rule.Number(n), Known: known}
}

func (o written) money(name string) Money {
	n, known := o.decimal(name, 2)
	return Money{Paise: n, Known: known}
}

func (o written) text(name string) string {
	v, _ := o.member(name, wire.String)
	return v.Text()
}

func (o written) bool(name string) bool {
	v, _ := o.member(name, wire.Bool)
	return v.IsTrue()
}

func (o written) texts(name string) (list []string) {
	v, _ := o.member(name, wire.Array)
	for _, one := range v.Elements() {
		list = append(list, one.Text())
	}
	return list
}

func (o written) in(name string) written {
	v, _ := o.member(name, wire.Object)
	return written{v, o.faults}
}

func (o written) list(name string) (list []written) {
	v, _ := o.member(name, wire.Array)
	for _, one := range v.Elements() {
		list = append(list, written{one, o.faults})
	}
	return list
}

func (o written) codes(name string) (list []CodeCount) {
	for _, c := range o.list(name) {
		list = append(list, CodeCount{Code: c.text("code"), Count: c.int("count")})
	}
	return list
}

// share reads a bad rate that Share.write wrote.
func (o written) share() Share {
	return Share{
		Labelled: o.int("labelled"),
		Bad:      o.int("bad"),
		Rate:     o.figure("bad_rate"),
		Low:      o.figure("bad_rate_low"),
		High:     o.figure("bad_rate_high"),
	}
}

// shareOf reads a bad rate that Share.writeNamed wrote.
func (o written) shareOf(of string) Share {
	return Share{Rate: o.figure("bad_rate_" + of), Labelled: o.int("labelled_" + of)}
}

func (o written) matrix() (m Matrix) {
	rows := o.in("matrix")
	for a := range m {
		row := rows.in(engine.Status(a).String())
		for b := range m[a] {
			m[a][b] = row.int(engine.Status(b).String())
		}
	}
	return m
}

func (o written) shift(name string) Shift {
	s := Shift{PSI: o.figure(name)}
	for _, g := range o.list("psi_groups") {
		s.Groups = append(s.Groups, ShiftGroup{
			HasMin:   g.object.Get("min").Given(),
			Min:      g.int("min"),
			Expected: g.figure("expected"),
			Actual:   g.figure("actual"),
		})
	}
	return s
}

func (o written) fairness() *Fairness {
	f := o.in("fairness")
	if !f.given() {
		return nil
	}
	out := &Fairness{Column: f.text("column"), FourFifths: f.bool("four_fifths")}
	for _, g := range f.list("groups") {
		out.Groups = append(out.Groups, Group{
			Name:            g.text("group"),
			Count:           g.int("count"),
			Approved:        g.int("approved"),
			ApprovalRate:    g.figure("approval_rate"),
			Ratio:           g.figure("ratio"),
			FourFifths:      g.bool("four_fifths"),
			BadRateApproved: g.shareOf("approved"),
		})
	}
	return out
}

func (o written) vintage() *Vintage {
	if !o.object.Get("vintage").Given() {
		return nil
	}
	out := &Vintage{NoMonth: o.int("vintage_without_month")}
	for _, m := range o.list("vintage") {
		out.Approved = m.int("labelled")
		out.ByMonth = append(out.ByMonth, VintageMonth{
			Month: int(m.int("mob")), Bad: m.int("bad"), Share: m.figure("ever_90_plus"),
		})
	}
	return out
}
