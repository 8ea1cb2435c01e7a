package console

import (
	"net/http"
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/offer"
	"verdict/internal/offerdesk"
	"verdict/internal/tenant"
)

// offerPages serves the documents that a borrower gets, and the lender profile that they state.
type offerPages struct {
	offers *offerdesk.Service
	people directory
}

func (p *offerPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/decisions/{id}/kfs", handle: p.kfs, scope: tenant.Read},
		{pattern: "GET /console/{env}/decisions/{id}/letter", handle: p.letter, scope: tenant.Read},
		{pattern: "GET /console/{env}/lender", handle: p.profile, scope: tenant.Read},
		{pattern: "POST /console/{env}/lender", handle: p.saveProfile, scope: tenant.PolicyWrite},
	}
}

// kfs shows the key facts statement as the borrower gets it: a page without the console's frame, to be printed.
func (p *offerPages) kfs(v *visit) error {
	want := offerdesk.Wanted{Language: v.query("lang"), DisbursedOn: civil.NoDay}
	if text := v.query("disbursed_on"); text != "" {
		day, ok := offer.ParseDay(text)
		if !ok {
			return fault.New(fault.Invalid, fault.CodeInvalidField, "the day of the disbursal must be a date")
		}
		want.DisbursedOn = day
	}
	statement, err := p.offers.KFS(v.ctx, v.caller(), v.id("id"), want)
	if err != nil {
		return err
	}
	return v.sendDocument(statement.HTML)
}

// letter shows the letter to the applicant.
func (p *offerPages) letter(v *visit) error {
	want := offerdesk.Wanted{Language: v.query("lang"), DisbursedOn: civil.NoDay}
	letter, err := p.offers.Letter(v.ctx, v.caller(), v.id("id"), want)
	if err != nil {
		return err
	}
	return v.sendDocument(letter.HTML)
}

// sendDocument sends a page that has its own stylesheet and content security policy.
func (v *visit) sendDocument(html func() ([]byte, error)) error {
	body, err := html()
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", offer.ContentPolicy)
	v.send(http.StatusOK, body)
	return nil
}

// lenderFold is a section of the page of the profile that is closed at first, so its summary says how many of its
// fields are filled in. None of its fields is required: a browser does not submit a form with an empty required field
// that it cannot show.
type lenderFold struct {
	Title         string
	Filled, Total int
	Open          bool // whether a field of the section has a fault
}

// newLenderFold returns the section with the named fields, whose stored values are given.
func newLenderFold(f *form, title string, values map[string]string, names ...string) lenderFold {
	fold := lenderFold{Title: title, Total: len(names)}
	for _, name := range names {
		value := values[name]
		if f.Posted() {
			value = f.Value(name)
		}
		if value != "" {
			fold.Filled++
		}
		fold.Open = fold.Open || f.Fault(name) != ""
	}
	return fold
}

// lenderTexts are the texts of one language on the page of the profile.
type lenderTexts struct {
	lenderFold
	Fields []lenderField
}

// lenderField is a field of the page of the profile.
type lenderField struct{ Name, Label, Value, Hint, Rows string }

// lackingTexts are the texts that a language lacks although another language has them.
type lackingTexts struct{ Language, Labels string }

// lackingIn returns, for each language, the texts that the profile has only in other languages. A document in a
// language uses general words in place of the texts that the language lacks.
func lackingIn(p *offer.Profile) (list []lackingTexts) {
	for _, l := range p.Lacking() {
		var labels []string
		for _, name := range l.Names {
			text, id, _ := strings.Cut(name, " ")
			label := textLabels[text].Label
			if id != "" {
				label += " (" + id + ")"
			}
			labels = append(labels, label)
		}
		language, _ := offer.LanguageOf(l.Tag)
		list = append(list, lackingTexts{language.Text("language_in_english"), strings.Join(labels, ", ")})
	}
	return list
}

// textLabels has the labels and hints of the texts, by name.
var textLabels = map[string]lenderField{
	"name":              {Label: "Name in this language"},
	"address":           {Label: "Address in this language", Rows: "2"},
	"grievance_name":    {Label: "Officer for complaints in this language"},
	"grievance_address": {Label: "Officer's address in this language", Rows: "2"},
	"loan_type":         {Label: "Type of loan"},
	"loan_types": {
		Label: "Types of loan by policy", Rows: "2",
		Hint: "One per line: the key of a policy, “=” and the type of its loans. The other policies have the type " +
			"above.",
	},
	"penal_charges":       {Label: "Penal charges for late payment"},
	"other_penal_charges": {Label: "Other penal charges"},
	"foreclosure_charges": {Label: "Charges for repaying early"},
	"switching_charges":   {Label: "Charges for switching rates"},
	"other_charges":       {Label: "Any other charges"},
	"recovery_clause":     {Label: "Term about recovery agents"},
	"grievance_clause":    {Label: "Term about complaints"},
	"note":                {Label: "Text at the end of each document", Rows: "3"},
	"charges": {
		Label: "Names of charges", Rows: "3",
		Hint: "One per line: the id of the charge in the policy, “=” and its name.",
	},
	"reasons": {
		Label: "Texts of reasons", Rows: "3",
		Hint: "One per line: the reason code, “=” and the text for applicants.",
	},
	"details": {
		Label: "Names of details", Rows: "3",
		Hint: "One per line: a field that a policy reads, “=” and what applicants call it.",
	},
}

// profile shows the lender profile as a form.
func (p *offerPages) profile(v *visit) error {
	profile, err := p.offers.Profile(v.ctx, v.caller(), 0)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	names, err := p.people.names(v)
	if err != nil {
		return err
	}
	values := map[string]string{}
	if profile.Version > 0 {
		values = profile.Fields()
	}
	data := struct {
		Version       int64
		UpdatedMicros int64
		UpdatedBy     string
		Names         map[string]string // e-mail addresses of people, by user id
		Lacking       []lackingTexts
		Values        map[string]string
		YesNo         []option
		Agents        lenderFold
		CoLending     lenderFold
		Texts         []lenderTexts
	}{
		Version: profile.Version, UpdatedMicros: profile.UpdatedMicros, UpdatedBy: profile.UpdatedBy, Values: values,
		Names: names, Lacking: lackingIn(&profile.Profile),
		YesNo:  []option{{Label: "Choose"}, {Value: "no", Label: "No"}, {Value: "yes", Label: "Yes"}},
		Agents: newLenderFold(v.form, "Recovery agents", values, "recovery_agents"),
		CoLending: newLenderFold(v.form, "Co-lending", values,
			"originator_name", "originator_share", "partner_name", "partner_share", "blended_rate"),
	}
	for _, tag := range offer.Languages() {
		language, _ := offer.LanguageOf(tag)
		var texts lenderTexts
		var fields []string
		for _, name := range offer.TextNames() {
			field := textLabels[name]
			field.Name = offer.TextField(tag, name)
			field.Value = values[field.Name]
			texts.Fields = append(texts.Fields, field)
			fields = append(fields, field.Name)
		}
		texts.lenderFold = newLenderFold(v.form, "Texts in "+language.Text("language_in_english"), values, fields...)
		data.Texts = append(data.Texts, texts)
	}
	return v.render("lender", "Lender profile", data)
}

// saveProfile stores the form as a new version of the profile.
func (p *offerPages) saveProfile(v *visit) error {
	err := v.confirmed()
	if err == nil {
		var next offer.Profile
		if next, err = offer.ReadFields(v.form.Value); err == nil {
			var faults fault.List
			expected := int64(wholeNumber(&faults, "/version", v.form.Value("version"), 0, 0, 1<<30))
			if err = faults.Err(); err == nil {
				_, err = p.offers.ReplaceProfile(v.ctx, v.caller(), next, expected)
			}
		}
	}
	if err != nil {
		return v.redraw(err, p.profile)
	}
	return v.done("The lender profile was saved. New decisions are stored with this version.", "/lender")
}
