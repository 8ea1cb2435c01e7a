package offer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// A profile can be written as the fields of a form: one text for each name. Lists have an entry in each line. A
// contact is a line of name, telephone, e-mail address and address, separated by "|". A type of loan, or a text of a
// charge, a reason or a detail, is also a line: the policy key, the id, the code or the field, then "=" and the text.

const (
	lineSeparator = " | "
	textPrefix    = "text_"
)

// namedTexts lists the texts whose fields have a line for each name.
var namedTexts = []string{"loan_types", "charges", "reasons", "details"}

// TextNames lists the texts of a language for which a form has a field, in order.
func TextNames() []string {
	first := []string{"name", "address", "grievance_name", "grievance_address", "loan_type", namedTexts[0]}
	return slices.Concat(first, termNames, []string{"note"}, namedTexts[1:])
}

// TextField returns the name of the field of a text of a language.
func TextField(tag, name string) string { return textPrefix + tag + "_" + name }

// Lacking lists the texts that a language lacks although another language has them. It never lists names and
// addresses, because documents use those of the profile instead.
type Lacking struct {
	Tag   string
	Names []string // names as in TextNames; the name of a text with an id is followed by a space and the id
}

// Lacking returns what each language lacks, in the order of the languages.
func (p *Profile) Lacking() (list []Lacking) {
	given := map[string]map[string]bool{}
	all := map[string]bool{}
	for tag, t := range p.Texts {
		given[tag] = t.given()
		maps.Copy(all, given[tag])
	}
	for _, tag := range Languages() {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !given[tag][name] {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			list = append(list, Lacking{tag, names})
		}
	}
	return list
}

// given returns the names of the texts that a language should have if another language has them. It leaves out the
// names of details and the texts of reasons, because the policy has such names and texts in English.
func (t *Texts) given() map[string]bool {
	names := map[string]bool{}
	for name, text := range t.Terms {
		names[name] = text != ""
	}
	for name, text := range map[string]string{"loan_type": t.LoanType, "note": t.Note} {
		if text != "" {
			names[name] = true
		}
	}
	for name, texts := range map[string]map[string]string{"loan_types": t.LoanTypes, "charges": t.Charges} {
		for id := range texts {
			names[name+" "+id] = true
		}
	}
	return names
}

// Fields returns the profile as the fields of a form.
func (p *Profile) Fields() map[string]string {
	yesNo := map[bool]string{true: "yes", false: "no"}
	f := map[string]string{
		"name": p.Name, "address": p.Address, "registration": p.Registration, "website": p.Website,
		"cooling_off_days": strconv.Itoa(p.CoolingOffDays), "transferable": yesNo[p.Transferable],
		"grievance_name": p.Grievance.Name, "grievance_phone": p.Grievance.Phone,
		"grievance_email": p.Grievance.Email, "grievance_address": p.Grievance.Address,
	}
	var agents, holidays []string
	for _, a := range p.RecoveryAgents {
		line := a.Name + lineSeparator + a.Phone + lineSeparator + a.Email
		if a.Address != "" {
			line += lineSeparator + oneLine(a.Address)
		}
		agents = append(agents, line)
	}
	for _, d := range p.Holidays {
		holidays = append(holidays, d.String())
	}
	f["recovery_agents"], f["holidays"] = strings.Join(agents, "\n"), strings.Join(holidays, "\n")
	if c := p.Collaboration; c != nil {
		f["originator_name"], f["partner_name"] = c.Originator.Name, c.Partner.Name
		f["originator_share"], f["partner_share"] = hundredths(c.Originator.ShareBP), hundredths(c.Partner.ShareBP)
		if c.BlendedRateBP > 0 {
			f["blended_rate"] = hundredths(c.BlendedRateBP)
		}
	}
	for tag, t := range p.Texts {
		texts := map[string]string{
			"name": t.Name, "address": t.Address, "loan_type": t.LoanType, "note": t.Note,
			"grievance_name": t.GrievanceName, "grievance_address": t.GrievanceAddress,
			"loan_types": linesOf(t.LoanTypes), "charges": linesOf(t.Charges),
			"reasons": linesOf(t.Reasons), "details": linesOf(t.Details),
		}
		for name, text := range t.Terms {
			texts[name] = text
		}
		for name, text := range texts {
			f[TextField(tag, name)] = text
		}
	}
	return f
}

func hundredths(n int64) string { return string(wire.AppendDecimal(nil, n, 2)) }

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

func linesOf(named map[string]string) string {
	var lines []string
	for id, text := range named {
		lines = append(lines, id+" = "+oneLine(text))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// ReadFields reads a profile from the fields of a form. The pointers of its faults are the names of fields.
func ReadFields(value func(name string) string) (Profile, error) {
	w := fieldWriter{value: func(name string) string {
		return strings.ReplaceAll(value(name), "\r\n", "\n") // browsers send line ends as "\r\n"
	}}
	document, err := wire.Parse(w.document())
	if err != nil {
		return Profile{}, fmt.Errorf("profile of a form: %w", err)
	}
	p, err := ReadProfile(document)
	if err == nil {
		return p, nil
	}
	return Profile{}, atFields(err)
}

// fieldWriter writes the fields of a form as a profile, which ReadProfile checks.
type fieldWriter struct {
	value func(name string) string
	wire.Writer
}

func (w *fieldWriter) document() []byte {
	w.Object()
	w.texts("", "name", "address", "registration", "website")
	w.number("cooling_off_days", "cooling_off_days")
	switch w.value("transferable") {
	case "yes":
		w.Key("transferable").Bool(true)
	case "no":
		w.Key("transferable").Bool(false)
	}
	w.Key("grievance").Object()
	w.texts("grievance_", "name", "phone", "email", "address")
	w.EndObject().Key("recovery_agents").Array()
	for line := range w.lines("recovery_agents") {
		w.contact(strings.Split(line, "|"))
	}
	w.EndArray().Key("holidays").Array()
	for line := range w.lines("holidays") {
		w.String(line)
	}
	w.EndArray()
	w.collaboration()
	w.Key("texts").Object()
	for _, tag := range Languages() {
		w.language(tag)
	}
	return w.EndObject().EndObject().Buf
}

// texts writes the fields that are not empty as members.
func (w *fieldWriter) texts(prefix string, names ...string) {
	for _, name := range names {
		w.Optional(name, w.value(prefix+name))
	}
}

// number writes a field as a number. If it is not a number, it is written as a text, which ReadProfile refuses.
func (w *fieldWriter) number(field, member string) {
	text := w.value(field)
	if text == "" {
		return
	}
	w.Key(member)
	if v, err := wire.Parse([]byte(text)); err == nil && v.Kind() == wire.Number {
		w.Value(v)
		return
	}
	w.String(text)
}

func (w *fieldWriter) contact(parts []string) {
	w.Object()
	for i, name := range []string{"name", "phone", "email", "address"} {
		if i < len(parts) {
			w.Optional(name, strings.TrimSpace(parts[i]))
		}
	}
	w.EndObject()
}

func (w *fieldWriter) collaboration() {
	names := []string{"originator_name", "originator_share", "partner_name", "partner_share", "blended_rate"}
	if !slices.ContainsFunc(names, func(name string) bool { return w.value(name) != "" }) {
		return
	}
	w.Key("collaboration").Object()
	for _, side := range []string{"originator", "partner"} {
		w.Key(side).Object()
		w.texts(side+"_", "name")
		w.number(side+"_share", "share_pct")
		w.EndObject()
	}
	w.number("blended_rate", "blended_rate")
	w.EndObject()
}

func (w *fieldWriter) language(tag string) {
	w.Key(tag).Object()
	for _, name := range TextNames() {
		field := TextField(tag, name)
		if !slices.Contains(namedTexts, name) {
			w.Optional(name, w.value(field))
			continue
		}
		named := map[string]string{}
		for line := range w.lines(field) {
			id, text, _ := strings.Cut(line, "=")
			named[strings.TrimSpace(id)] = strings.TrimSpace(text)
		}
		if len(named) > 0 {
			w.Key(name)
			writeNamed(&w.Writer, named)
		}
	}
	w.EndObject()
}

// lines yields the lines of a field that are not empty.
func (w *fieldWriter) lines(field string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(w.value(field), "\n") {
			if line = strings.TrimSpace(line); line != "" && !yield(line) {
				return
			}
		}
	}
}

// atFields changes the pointers of faults to the names of fields.
func atFields(err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return err
	}
	return fault.MapItems(err, func(item fault.Item) fault.Item {
		parts := strings.Split(strings.TrimPrefix(item.Pointer, "/"), "/")
		name := parts[0]
		switch {
		case name == "grievance" && len(parts) > 1:
			name += "_" + parts[1]
		case name == "recovery_agents" && len(parts) > 2:
			item.Detail = parts[2] + " " + item.Detail
		case name == "collaboration" && len(parts) > 2:
			name = parts[1] + "_" + strings.TrimSuffix(parts[2], "_pct")
		case name == "collaboration" && len(parts) > 1:
			if name = parts[1]; name == "partner" || name == "originator" {
				name += "_share"
			}
		case name == "texts" && len(parts) > 2:
			name = TextField(parts[1], parts[2])
		}
		item.Pointer = "/" + name
		return item
	})
}
