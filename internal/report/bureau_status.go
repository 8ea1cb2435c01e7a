package report

import (
	"regexp"
	"slices"
	"strings"

	"verdict/internal/civil"
	"verdict/internal/wire"
)

// statusWords maps squashed words of a status to days past due. The days are the fewest for which lenders use the word.
// The first word that is found counts, so more severe and more specific words come first.
var statusWords = []struct {
	part string
	days int16
}{
	{"loss", lossDays},
	{"doubtful", doubtfulDays},
	{"substandard", substandardDays},
	{"nonperforming", substandardDays},
	{"npa", substandardDays},
	{"sma0", 1},
	{"sma1", 31},
	{"sma2", 61},
	{"sma", smaDays},
	{"specialmention", smaDays},
	{"delinquent", 1},
	{"overdue", 1},
	{"pastdue", 1},
}

// negations are squashed words that negate the word after them.
var negations = []string{"not", "no", "non", "never", "nil", "zero"}

// statedDays matches a number of days, or the lower end of a range, in a
// status: "90+ DPD", "91-120 days past due".
var statedDays = regexp.MustCompile(
	`(?i)(\d{1,4})(?:\s*(?:-|to)\s*\d{1,4})?\s*\+?\s*(?:days?|dpd)\b|\bdpd\W{0,3}(\d{1,4})\b`)

// statusDays returns the days past due that a status in words states. said is false if the status states none.
func statusDays(text string) (days int16, said bool) {
	if len(text) > maxName || isDigits(text) || strings.EqualFold(text, "active") { // the usual case
		return 0, false
	}
	var buf [maxName]byte
	squashed := string(squash(buf[:0], text))
	if c, known := readCell(strings.ToUpper(squashed)); known && !isDigits(squashed) {
		return c.days, c.said
	}
	if c, known := readCell(text); known && c.said { // such as "31+"
		return c.days, true
	}
	if number := statedDays.FindStringSubmatch(text); number != nil {
		days, said = int16(atoi(number[1]+number[2])), true
	}
	for _, w := range statusWords {
		before, _, found := strings.Cut(squashed, w.part)
		if !found || slices.ContainsFunc(negations, func(no string) bool { return strings.HasSuffix(before, no) }) {
			continue
		}
		if w.days == 1 && said { // the number is more precise
			break
		}
		return max(days, w.days), true
	}
	return days, said
}

// newestDays records the days past due that an account states outside its payment history. It sets them in the
// account's newest month, unless the history already has at least as many days in that month.
func (r *bureauReader) newestDays(a *Account, m *slotted) {
	days, from := r.ownDays(a, m)
	if days == 0 {
		return
	}
	at := r.newestMonth(a)
	switch {
	case at > r.newest:
		return
	case len(a.History) == 0 || a.History[0].Month != at:
		if len(a.History) == MaxMonths {
			a.History = a.History[:MaxMonths-1]
		}
		a.History = slices.Insert(slices.Clip(a.History), 0, Payment{Month: at, DaysPastDue: days})
	case a.History[0].DaysPastDue >= days:
		return
	default:
		a.History[0].DaysPastDue = days
	}
	r.notes.add(statedOverdue, from)
}

// ownDays returns the highest days past due that an account states without a month, and the member that states them.
// The stated maximum is ignored if a month of the history has at least as many days. For a closed account the status
// and the rating are ignored, because they describe how the account ended.
func (r *bureauReader) ownDays(a *Account, m *slotted) (most int16, from wire.Value) {
	for _, s := range []slot{slotDays, slotMaxDays} {
		days, ok := r.scalar.count(m[s])
		days = min(days, maxDays)
		told := s == slotMaxDays && slices.ContainsFunc(a.History, func(p Payment) bool {
			return p.DaysPastDue >= int16(days)
		})
		if ok && !told && int16(days) > most {
			most, from = int16(days), m[s]
		}
	}
	if !a.Live {
		return most, from
	}
	if v := m[slotStatus]; v.Kind() == wire.String {
		if days, _ := statusDays(strings.TrimSpace(v.Text())); days > most {
			most, from = days, v
		}
	}
	if days := r.scalar.rating(m[slotRating]); days > most {
		most, from = days, m[slotRating]
	}
	return most, from
}

// rating reads the current payment rating, one of Experian's characters or an
// asset class, and returns its days past due. It returns 0 if there is no rating.
func (r *scalarReader) rating(v wire.Value) int16 {
	text := r.code(v)
	if text == "" {
		return 0
	}
	if len(text) == 1 {
		if c, known := profileCells[strings.ToUpper(text)[0]]; known {
			return c.days
		}
	}
	days, said := statusDays(text)
	if s, known := readStanding(text, nil); !said && !(known && s.running) { // "standard" is known and states no days
		r.notes.add(unknownPayment, v)
	}
	return days
}

// newestMonth returns the month to which the days past due without a month are
// attributed.
func (r *bureauReader) newestMonth(a *Account) civil.Month {
	at := civil.NoMonth
	if len(a.History) > 0 {
		at = a.History[0].Month
	}
	switch {
	case a.Reported.Known():
		return max(at, a.Reported.Month())
	case at != civil.NoMonth:
		return at
	case r.lastHeard(a.Closed).Known():
		return r.lastHeard(a.Closed).Month()
	}
	return r.asOf.Month()
}
