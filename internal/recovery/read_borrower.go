package recovery

import (
	"slices"
	"strings"
	"unicode"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

func (r *reader) borrower(v wire.Value) {
	f, ok := r.object(v, borrowerMembers...)
	if !ok {
		return
	}
	b := &r.c.Borrower
	b.Ref, _ = f.Text("ref", maxText)
	b.Name, _ = f.Text("name", maxName)
	r.language(&f)
	b.Preferred = Channel(f.Choice("preferred_channel", -1, contactChannels...) + int(ByCall))
	if hours := f.Get("preferred_hours"); hours.Given() {
		b.Hours, b.HasHours = r.hours(hours)
	}
	// Read the zone first: a date without a time means a day in that zone.
	if text, ok := f.Text("timezone", maxText); ok {
		if zone, known := parseZone(text); known {
			b.Zone = zone
		} else {
			f.Fail("timezone", fault.CodeOutOfRange, "must be Asia/Kolkata, or an offset such as +05:30")
		}
	}
	r.silence(&f)
	r.flags(&f)
}

// language reads the borrower's language. An unknown language is replaced by
// English.
func (r *reader) language(f *wire.Form) {
	text, ok := f.Text("language", maxText)
	if !ok {
		return
	}
	primary, _, _ := strings.Cut(strings.ToLower(text), "-")
	i := slices.Index(languageNames, primary)
	if i < 0 {
		r.warnings.Add(f.Pointer("language"), fault.CodeUnknownLanguage, "has no templates; messages are in English")
		return
	}
	r.c.Borrower.Language = Language(i)
}

// hours reads a range of hours within one day.
func (r *reader) hours(v wire.Value) (w Window, ok bool) {
	f, ok := r.object(v, "from", "to")
	if !ok {
		return w, false
	}
	return readHours(&f)
}

// readHours reads "from" and "to", which are both required.
func readHours(f *wire.Form) (w Window, ok bool) {
	from, okFrom := readClock(f, "from")
	to, okTo := readClock(f, "to")
	if !okFrom || !okTo {
		return Window{}, false
	}
	if from >= to {
		f.Fail("to", fault.CodeOutOfRange, "must be later than from, on the same day")
		return Window{}, false
	}
	return Window{from, to}, true
}

func readClock(f *wire.Form, name string) (minute int, ok bool) {
	if !f.Require(name, "an hour such as 10:00") {
		return 0, false
	}
	return readText(f, name, parseClock, "must be an hour and minute such as 10:00, between 00:00 and 24:00")
}

// silence reads the time until which the borrower does not want to be
// contacted. A date without a time includes the whole day.
func (r *reader) silence(f *wire.Form) {
	text, ok := f.Text("do_not_contact_until", maxText)
	if !ok {
		return
	}
	b := &r.c.Borrower
	if d, ok := parseDay(text); ok {
		b.SilentUntil = (d + 1).At(0, b.Zone)
	} else if t, ok := parseMoment(text); ok {
		b.SilentUntil = t
	} else {
		f.Fail("do_not_contact_until", fault.CodeOutOfRange,
			"must be a date such as 2026-11-20, or a time with its zone")
	}
}

// flags reads the flags. It refuses an unknown flag, because a misspelt
// "DECEASED" must not be ignored.
func (r *reader) flags(f *wire.Form) {
	b := &r.c.Borrower
	for _, v := range f.Array("flags", 2*len(flagNames)).Elements() {
		i := slices.Index(flagNames, strings.ToUpper(v.Text()))
		switch {
		case v.Kind() != wire.String:
			r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a string, but is %s", v.Kind())
		case i < 0:
			r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be one of %s", strings.Join(flagNames, ", "))
		default:
			b.Flags = append(b.Flags, Flag(i))
		}
	}
	b.Flags = byGravity(b.Flags)
}

// contact reads one attempt.
func (r *reader) contact(index int, v wire.Value) {
	f, ok := r.object(v, "at", "channel", "disposition", "promise_amount", "promise_date", "kept")
	if !ok {
		return
	}
	c := Contact{index: index}
	if f.Require("at", "when the attempt was made") {
		c.At, _ = r.moment(&f, "at")
	}
	if f.Require("channel", "one of "+strings.Join(contactChannels, ", ")) {
		c.Channel = Channel(f.Choice("channel", -1, contactChannels...) + int(ByCall))
	}
	r.disposition(&f, &c)
	c.Promise.AmountPaise, _ = r.rupees(&f, "promise_amount")
	date, dated := r.date(&f, "promise_date")
	kept := f.Bool("kept", false)
	told := f.Get("kept").Given()
	if c.End == PromiseToPay {
		c.Promise.Date, c.Promise.Kept, c.Promise.Told = date, kept, told
		if !dated && !f.Get("promise_date").Given() {
			f.Fail("promise_date", fault.CodeRequired, "is required for a promise to pay")
		}
	}
	r.c.History = append(r.c.History, c)
}

// disposition reads how the attempt ended. An attempt with an unknown disposition
// is still counted as an attempt.
func (r *reader) disposition(f *wire.Form, c *Contact) {
	text, ok := f.Text("disposition", maxText)
	if !ok {
		return
	}
	words := strings.FieldsFunc(strings.ToUpper(text), func(c rune) bool {
		return c == '-' || c == '_' || unicode.IsSpace(c)
	})
	if i := slices.Index(dispositionNames, strings.Join(words, "_")); i >= 0 {
		c.End = Disposition(i)
		return
	}
	r.warnings.Add(f.Pointer("disposition"), fault.CodeUnknownDisposition,
		"is not a known disposition and was counted as an attempt")
}
