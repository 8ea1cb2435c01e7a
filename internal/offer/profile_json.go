package offer

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// ReadProfile reads a complete profile. It refuses unknown members, because a misspelt term would be missing in the
// documents. The error lists all faults and repeats no value.
func ReadProfile(v wire.Value) (Profile, error) { return readProfile(v, isInvisible) }

// ReadStoredProfile reads a profile that was checked when it was stored. It accepts characters that were permitted
// then.
func ReadStoredProfile(v wire.Value) (Profile, error) {
	return readProfile(v, func(rune) bool { return false })
}

func readProfile(v wire.Value, refused func(rune) bool) (Profile, error) {
	var faults fault.List
	r := profileReader{faults: &faults, refused: refused}
	form := wire.NewForm(v, &faults)
	f := &form
	var p Profile
	p.Name = r.required(f, "name", "the name of the lender", maxName)
	p.Address = r.required(f, "address", "the address of the lender", maxText)
	p.Registration = r.text(f, "registration", maxName)
	p.Website = r.text(f, "website", maxName)
	f.Require("cooling_off_days", "days after the disbursal in which the borrower can give the loan back")
	days, _ := f.Decimal("cooling_off_days", 0, 1, maxCoolingDays)
	p.CoolingOffDays = int(days)
	f.Require("transferable", "whether the loan may be transferred or securitised")
	p.Transferable = f.Bool("transferable", false)
	if f.Require("grievance", "the officer for complaints") {
		p.Grievance = r.contact(f.Get("grievance"))
	}
	for _, agent := range f.Array("recovery_agents", maxContacts).Elements() {
		p.RecoveryAgents = append(p.RecoveryAgents, r.contact(agent))
	}
	if given := f.Get("collaboration"); given.Given() {
		p.Collaboration = r.collaboration(given)
	}
	p.Holidays = r.holidays(f.Array("holidays", maxHolidays))
	p.Texts = r.texts(f.Get("texts"))
	f.Known("version", "updated_at", "updated_by") // an answer has these members, so they may be sent back
	f.Done()
	if err := faults.Err(); err != nil {
		return Profile{}, err
	}
	var w wire.Writer
	if p.Write(&w); len(w.Buf) > MaxProfile {
		faults.Add("", fault.CodeOutOfRange, "the profile has more than %d bytes; shorten its texts", MaxProfile)
	}
	return p, faults.Err()
}

type profileReader struct {
	faults  *fault.List
	refused func(rune) bool // the characters that no text may have
}

// text reads an optional text. It refuses a text without a visible character, and one with invisible characters
// other than line ends and the joiners.
func (r *profileReader) text(f *wire.Form, name string, most int) string {
	text, ok := f.Text(name, most)
	if !ok {
		return ""
	}
	return r.checked(f.Pointer(name), text)
}

func (r *profileReader) checked(pointer, text string) string {
	switch {
	case strings.TrimFunc(text, isBlank) == "":
		r.faults.Add(pointer, fault.CodeRequired, "must not be empty; leave the member out instead")
	case strings.ContainsFunc(text, r.refused):
		r.faults.Add(pointer, fault.CodeInvalidField, "must not have invisible characters other than line ends")
	}
	return text
}

// The joiners form ligatures in Hindi and other Indian languages, so texts may have them.
const (
	zeroWidthNonJoiner = 0x200c
	zeroWidthJoiner    = 0x200d
)

// blanks are letters and symbols that no font shows: the fillers of Hangul, and the empty pattern of Braille.
var blanks = []rune{0x115f, 0x1160, 0x2800, 0x3164, 0xffa0}

// isInvisible reports whether a reader cannot see a character: a control or format character, a separator of
// lines or paragraphs, a private-use character, or one of blanks. Line breaks and the joiners do not count as
// invisible. With invisible characters, two different texts can look the same, or a text can be shown in another
// order.
func isInvisible(c rune) bool {
	switch c {
	case '\n', zeroWidthNonJoiner, zeroWidthJoiner:
		return false
	}
	return slices.Contains(blanks, c) || unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// isBlank reports whether a character shows no mark: it only takes up space, or is invisible.
func isBlank(c rune) bool {
	return unicode.IsSpace(c) || c == zeroWidthNonJoiner || c == zeroWidthJoiner || isInvisible(c)
}

func (r *profileReader) required(f *wire.Form, name, what string, most int) string {
	if !f.Require(name, what) {
		return ""
	}
	return r.text(f, name, most)
}

func (r *profileReader) contact(v wire.Value) (c Contact) {
	form := wire.NewForm(v, r.faults)
	f := &form
	c.Name = r.required(f, "name", "a name or a title", maxName)
	c.Phone = r.required(f, "phone", "a telephone number", maxName)
	c.Email = r.required(f, "email", "an e-mail address", maxName)
	c.Address = r.text(f, "address", maxText)
	f.Done()
	return c
}

func (r *profileReader) collaboration(v wire.Value) *Collaboration {
	form := wire.NewForm(v, r.faults)
	f := &form
	c := &Collaboration{}
	before := r.faults.Len()
	if f.Require("originator", "the lender that grants the loan, and its share") {
		c.Originator = r.share(f.Get("originator"))
	}
	if f.Require("partner", "the other lender, and its share") {
		c.Partner = r.share(f.Get("partner"))
	}
	const whole = 100_00
	if r.faults.Len() == before && c.Originator.ShareBP+c.Partner.ShareBP != whole {
		f.Fail("partner", fault.CodeOutOfRange, "the shares of both lenders must add up to 100 percent")
	}
	c.BlendedRateBP, _ = f.Decimal("blended_rate", 2, 1, whole)
	f.Done()
	return c
}

func (r *profileReader) share(v wire.Value) (s Share) {
	form := wire.NewForm(v, r.faults)
	f := &form
	s.Name = r.required(f, "name", "the name of the lender", maxName)
	f.Require("share_pct", "the percentage of the loan that the lender funds")
	s.ShareBP, _ = f.Decimal("share_pct", 2, 1, 100_00)
	f.Done()
	return s
}

func (r *profileReader) holidays(list wire.Value) (days []civil.Day) {
	for _, v := range list.Elements() {
		day, ok := ParseDay(v.Text())
		if v.Kind() != wire.String || !ok {
			r.faults.Add(v.Pointer(), fault.CodeInvalidField, "must be a date such as 2026-12-25")
			continue
		}
		days = append(days, day)
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// ParseDay reads a date such as 2026-12-25 of this century.
func ParseDay(text string) (civil.Day, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 2000 || t.Year() > 2099 {
		return civil.NoDay, false
	}
	return civil.DayOf(t.Date()), true
}

func (r *profileReader) texts(v wire.Value) map[string]Texts {
	if !v.Given() {
		return nil
	}
	form := wire.NewForm(v, r.faults)
	f := &form
	all := map[string]Texts{}
	for _, tag := range Languages() {
		if given := f.Get(tag); given.Given() {
			all[tag] = r.language(given)
		}
	}
	f.Done()
	return all
}

func (r *profileReader) language(v wire.Value) (t Texts) {
	form := wire.NewForm(v, r.faults)
	f := &form
	t.Name = r.text(f, "name", maxName)
	t.Address = r.text(f, "address", maxText)
	t.GrievanceName = r.text(f, "grievance_name", maxName)
	t.GrievanceAddress = r.text(f, "grievance_address", maxText)
	t.LoanType = r.text(f, "loan_type", maxName)
	t.Note = r.text(f, "note", maxText)
	for _, name := range termNames {
		if text := r.text(f, name, maxText); text != "" {
			if t.Terms == nil {
				t.Terms = map[string]string{}
			}
			t.Terms[name] = text
		}
	}
	t.LoanTypes = r.named(f.Get("loan_types"))
	t.Charges = r.named(f.Get("charges"))
	t.Reasons = r.named(f.Get("reasons"))
	t.Details = r.named(f.Get("details"))
	f.Done()
	return t
}

// named reads an object of texts by ids or codes.
func (r *profileReader) named(v wire.Value) map[string]string {
	switch {
	case !v.Given():
		return nil
	case v.Kind() != wire.Object:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object of texts")
		return nil
	case v.Len() > maxNamed:
		r.faults.Add(v.Pointer(), fault.CodeTooMany, "must have at most %d members", maxNamed)
		return nil
	}
	all := map[string]string{}
	for name, text := range v.Members() {
		switch {
		case name == "" || len(name) > 64:
			r.faults.Add(v.Pointer(), fault.CodeInvalidField, "the name of each member must have 1 to 64 bytes")
		case text.Kind() == wire.Null:
		case text.Kind() != wire.String:
			r.faults.Add(text.Pointer(), fault.CodeWrongType, "must be a text")
		case len(text.Text()) > maxText:
			r.faults.Add(text.Pointer(), fault.CodeOutOfRange, "must have at most %d bytes", maxText)
		default:
			all[strings.Clone(name)] = r.checked(text.Pointer(), text.Text())
		}
	}
	return all
}

// Write writes the profile as an object, with the members in name order.
func (p *Profile) Write(w *wire.Writer) {
	w.Object()
	p.WriteMembers(w)
	w.EndObject()
}

// WriteMembers writes the members of the profile into an object.
func (p *Profile) WriteMembers(w *wire.Writer) {
	w.Key("address").String(p.Address)
	if c := p.Collaboration; c != nil {
		w.Key("collaboration").Object()
		if c.BlendedRateBP > 0 {
			w.Key("blended_rate").Decimal(c.BlendedRateBP, 2)
		}
		w.Key("originator")
		c.Originator.write(w)
		w.Key("partner")
		c.Partner.write(w)
		w.EndObject()
	}
	w.Key("cooling_off_days").Int(int64(p.CoolingOffDays)).Key("grievance")
	p.Grievance.write(w)
	w.Key("holidays").Array()
	for _, d := range p.Holidays {
		w.String(d.String())
	}
	w.EndArray().Key("name").String(p.Name).Key("recovery_agents").Array()
	for i := range p.RecoveryAgents {
		p.RecoveryAgents[i].write(w)
	}
	w.EndArray()
	w.Optional("registration", p.Registration)
	w.Key("texts").Object()
	for _, tag := range slices.Sorted(maps.Keys(p.Texts)) {
		w.Key(tag)
		texts := p.Texts[tag]
		texts.write(w)
	}
	w.EndObject().Key("transferable").Bool(p.Transferable)
	w.Optional("website", p.Website)
}

func (c *Contact) write(w *wire.Writer) {
	w.Object()
	w.Optional("address", c.Address)
	w.Key("email").String(c.Email).Key("name").String(c.Name).Key("phone").String(c.Phone).EndObject()
}

func (s *Share) write(w *wire.Writer) {
	w.Object().Key("name").String(s.Name).Key("share_pct").Decimal(s.ShareBP, 2).EndObject()
}

func (t *Texts) write(w *wire.Writer) {
	all := map[string]string{
		"name": t.Name, "address": t.Address, "grievance_name": t.GrievanceName,
		"grievance_address": t.GrievanceAddress, "loan_type": t.LoanType, "note": t.Note,
	}
	maps.Copy(all, t.Terms)
	type member struct {
		name  string
		write func()
	}
	var members []member
	for name, text := range all {
		if text != "" {
			members = append(members, member{name, func() { w.String(text) }})
		}
	}
	for name, named := range map[string]map[string]string{
		"loan_types": t.LoanTypes, "charges": t.Charges, "reasons": t.Reasons, "details": t.Details,
	} {
		if len(named) > 0 {
			members = append(members, member{name, func() { writeNamed(w, named) }})
		}
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	w.Object()
	for _, m := range members {
		w.Key(m.name)
		m.write()
	}
	w.EndObject()
}

func writeNamed(w *wire.Writer, named map[string]string) {
	w.Object()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		w.Name(name).String(named[name])
	}
	w.EndObject()
}
