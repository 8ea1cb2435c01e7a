package recovery

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// The bounds of a strategy.
const (
	maxPerDay       = 5
	maxPerWeek      = 20
	maxHoldDays     = 30
	maxHolidays     = 400
	maxStages       = 50
	maxSteps        = 10
	maxStepDay      = 60
	maxPreDueDays   = 30
	maxScale        = 20
	maxTenures      = 20
	maxMonths       = 480
	maxCooling      = 120
	maxLender       = 80
	maxFloors       = 20
	maxPromiseAhead = 365
)

var weekdayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// ReadStrategy reads a complete strategy. A missing or null member gets its
// default. An unknown member is refused, because a misspelt cap must not be
// ignored. A setting that the rules of conduct forbid is refused too. Hours are
// an exception: if they are wider than the legal hours, they are accepted and the
// legal hours apply. The error is a *fault.Error that lists all faults and
// repeats no value.
func ReadStrategy(v wire.Value) (Strategy, error) {
	var faults fault.List
	s := DefaultStrategy()
	f := strategyForm(v, &faults)
	f.Known("version", "updated_at", "updated_by")
	f.text("name", maxText, &s.Name)
	f.text("lender_name", maxLender, &s.LenderName)
	f.text("contact", maxLender, &s.Contact)
	f.section("window", func(f *strategyReader) { f.window(&s.Window, legalWindow) })
	f.section("microfinance_window", func(f *strategyReader) { f.window(&s.MicrofinanceWindow, legalMicrofinance) })
	f.closed(&s)
	f.integer("max_attempts_per_day", 1, maxPerDay, &s.MaxPerDay)
	f.integer("max_attempts_per_week", 1, maxPerWeek, &s.MaxPerWeek)
	f.integer("payment_hold_days", minPaymentHoldDays, maxHoldDays, &s.PaymentHoldDays)
	f.integer("max_promise_days", 1, maxPromiseAhead, &s.MaxPromiseDays)
	f.preDue(&s)
	f.stages(&s)
	f.section("roll_risk", func(f *strategyReader) { f.rollRisk(&s.RollRisk) })
	f.section("priority", func(f *strategyReader) { f.priority(&s.Priority) })
	f.section("restructure", func(f *strategyReader) { f.restructure(&s.Restructure) })
	f.section("settlement", func(f *strategyReader) { f.settlement(&s.Settlement) })
	f.Done()
	if err := faults.Err(); err != nil {
		return Strategy{}, err
	}
	return s, nil
}

// strategyReader reads one object of a strategy. Members that are not sent keep
// their defaults.
type strategyReader struct {
	wire.Form
	faults *fault.List
}

func strategyForm(v wire.Value, faults *fault.List) strategyReader {
	return strategyReader{Form: wire.NewForm(v, faults), faults: faults}
}

// section reads a member that is an object, if it is present.
func (f *strategyReader) section(name string, read func(*strategyReader)) {
	v := f.Get(name)
	if !v.Given() {
		return
	}
	inner := strategyForm(v, f.faults)
	if v.Kind() == wire.Object {
		read(&inner)
		inner.Done()
	}
}

// each reads an array of objects and calls read for each element. The elements replace all default elements. The
// result reports whether the array is present.
func (f *strategyReader) each(name string, most int, read func(*strategyReader)) bool {
	if !f.Get(name).Given() {
		return false
	}
	for _, v := range f.Array(name, most).Elements() {
		inner := strategyForm(v, f.faults)
		if v.Kind() == wire.Object {
			read(&inner)
			inner.Done()
		}
	}
	return true
}

// integer reads a whole number within bounds and stores it in setting.
func (f *strategyReader) integer(name string, least, most int, setting *int) bool {
	n, ok := f.Decimal(name, 0, int64(least), int64(most))
	if ok {
		*setting = int(n)
	}
	return ok
}

// needed reads a required whole number.
func (f *strategyReader) needed(name string, least, most int, setting *int) bool {
	return f.Require(name, "a whole number") && f.integer(name, least, most, setting)
}

// part reads a share in ten-thousandths. places is 4 for a fraction and 2 for a
// percentage.
func (f *strategyReader) part(name string, places int, least, most share, setting *share) bool {
	n, ok := f.Decimal(name, places, least, most)
	if ok {
		*setting = n
	}
	return ok
}

// text reads a text that may be part of an answer or a message. It must not
// contain control characters or markup.
func (f *strategyReader) text(name string, most int, setting *string) {
	text, ok := f.Text(name, most)
	switch {
	case !ok:
	case plainText(text, most) != text:
		f.Fail(name, fault.CodeOutOfRange,
			"may contain only letters, digits, spaces and the characters . , ' & ( ) + - / _ @, and must not begin or "+
				"end with a space")
	default:
		*setting = text
	}
}

// window reads hours. They may be wider than the legal hours, because Advise
// applies the legal hours anyway. Hours entirely outside the legal hours are
// refused, because they would permit no contact at all.
func (f *strategyReader) window(setting *Window, legal Window) {
	w, ok := readHours(&f.Form)
	switch {
	case !ok:
	case w.intersect(legal).empty():
		f.Fail("from", fault.CodeOutOfRange, "must begin a period that overlaps the legal hours, %s to %s",
			clockText(legal.From), clockText(legal.To))
	default:
		*setting = w
	}
}

// closed reads the weekdays and holidays without contact.
func (f *strategyReader) closed(s *Strategy) {
	count := 0
	for _, v := range f.Array("closed_weekdays", len(weekdayNames)).Elements() {
		switch i := slices.Index(weekdayNames, v.Text()); {
		case i < 0:
			f.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be one of %s", strings.Join(weekdayNames, ", "))
		case s.ClosedWeekdays[i]:
			f.faults.Add(v.Pointer(), fault.CodeDuplicate, "is in the list already")
		default:
			s.ClosedWeekdays[i] = true
			count++
		}
	}
	if count == len(weekdayNames) {
		f.Fail("closed_weekdays", fault.CodeOutOfRange, "must leave a day of the week open")
	}
	for _, v := range f.Array("holidays", maxHolidays).Elements() {
		switch d, ok := parseDay(v.Text()); {
		case !ok:
			f.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be a date such as 2026-11-15")
		case slices.Contains(s.Holidays, d):
			f.faults.Add(v.Pointer(), fault.CodeDuplicate, "is in the list already")
		default:
			s.Holidays = append(s.Holidays, d)
		}
	}
	slices.Sort(s.Holidays)
}

func (f *strategyReader) preDue(s *Strategy) {
	if !f.Get("pre_due_days").Given() {
		return
	}
	s.PreDueDays = f.numbers("pre_due_days", 1, maxPreDueDays)
	slices.SortFunc(s.PreDueDays, func(a, b int) int { return cmp.Compare(b, a) })
}

// numbers reads a list of distinct whole numbers.
func (f *strategyReader) numbers(name string, least, most int64) []int {
	list := []int{}
	for _, v := range f.Array(name, maxTenures).Elements() {
		n, exact, ok := int64(0), false, false
		if v.Kind() == wire.Number {
			n, exact, ok = wire.ParseDecimal(v.Text(), 0)
		}
		switch {
		case !ok || !exact || n < least || n > most:
			f.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be a whole number between %d and %d", least, most)
		case slices.Contains(list, int(n)):
			f.faults.Add(v.Pointer(), fault.CodeDuplicate, "is in the list already")
		default:
			list = append(list, int(n))
		}
	}
	return list
}
