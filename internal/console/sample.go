package console

import (
	"errors"
	"slices"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// samplePages try a version on a sample application, beside the active version. Nothing is
// stored and nothing is billed.
type samplePages struct {
	decisions *decisioning.Service
	versions  policyVersions
}

func (p *samplePages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/policies/{id}/try", handle: p.sample, scope: tenant.Decide},
		{pattern: "POST /console/{env}/policies/{id}/try", handle: p.trySample, scope: tenant.Decide},
	}
}

// sampleField is a field of the sample, and where it stands in a request.
type sampleField struct {
	Block, Name, Label, Hint, Begins string
	Text                             bool
	Choices                          []option
}

// sampleFields describe an applicant well enough for most policies; the rest
// can be pasted as a request. What it begins with is an applicant whom the
// policy that everybody starts with approves.
var sampleFields = []sampleField{
	{
		Block:  "bureau_report",
		Name:   "score",
		Label:  "Bureau score",
		Hint:   "−1 for an applicant who is new to credit.",
		Begins: "742",
	},
	{Block: "applicant", Name: "monthly_income", Label: "Monthly income, ₹", Begins: "85000"},
	{Block: "applicant", Name: "foir", Label: "FOIR", Hint: "0.35 is 35 percent.", Begins: "0.32"},
	{Block: "applicant", Name: "requested_amount", Label: "Requested amount, ₹", Begins: "600000"},
	{Block: "applicant", Name: "tenure_months", Label: "Requested tenure, months"},
	{Block: "applicant", Name: "age", Label: "Age", Begins: "34"},
	{
		Block:  "applicant",
		Name:   "employment_type",
		Label:  "Employment",
		Text:   true,
		Begins: "SALARIED",
		Choices: []option{
			{Value: "", Label: "not given"},
			{Value: "SALARIED", Label: "Salaried"},
			{Value: "SELF_EMPLOYED", Label: "Self-employed"},
			{Value: "SELF_EMPLOYED_PROFESSIONAL", Label: "Self-employed professional"},
			{Value: "NON_SALARIED", Label: "Not salaried"},
			{Value: "UNEMPLOYED", Label: "Unemployed"},
			{Value: "RETIRED", Label: "Retired"},
			{Value: "STUDENT", Label: "Student"},
			{Value: "HOMEMAKER", Label: "Homemaker"}, {Value: "OTHER", Label: "Other"}},
	},
	{Block: "bureau_report", Name: "enquiries_6m", Label: "Enquiries in 6 months", Begins: "2"},
	{Block: "bureau_report", Name: "active_tradelines", Label: "Live accounts", Begins: "4"},
	{Block: "bureau_report", Name: "max_dpd_12m", Label: "Most days past due in 12 months", Begins: "0"},
}

// formRequest is the field that a whole request can be pasted into.
const formRequest = "request"

// outcome is a preview beside that of the active version.
type outcome struct {
	Active, This wire.Value // Active is Missing when no version decides
	Rows         []outcomeRow
}

// outcomeRow is one thing of both decisions.
type outcomeRow struct {
	Label, Active, This string
	Changed             bool
}

// sample shows the form of the sample.
func (p *samplePages) sample(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}
	return p.drawSample(v, found, nil)
}

func (p *samplePages) drawSample(v *visit, found *version, result *outcome) error {
	return v.render("policy_try", "Try "+found.Set.Name, struct {
		*version
		Fields []sampleField
		Result *outcome
	}{found, sampleFields, result})
}

// trySample decides the sample with this version and with the active one.
// Nothing is stored and nothing is billed.
func (p *samplePages) trySample(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}

	again := func(err error) error {
		draw := func(v *visit) error { return p.drawSample(v, found, nil) }
		return v.again(sampleFaults(err, v.form.Value(formRequest) != ""), draw)
	}
	request, err := sampleRequest(v.form)
	if err != nil {
		return again(err)
	}

	compare := found.Active != nil && !found.Decides()
	body, err := previewBody(request, found, compare)
	if err != nil {
		return again(err)
	}

	answer, err := p.decisions.Preview(v.ctx, v.caller(), body)
	if err != nil {
		return again(err)
	}

	doc, err := ours(answer.Body)
	if err != nil {
		return err
	}

	result := &outcome{This: doc}
	if compare {
		result.Active, result.This = doc.Get("baseline"), doc.Get("variant")
	}

	result.Rows = outcomeRows(result.Active, result.This)
	return p.drawSample(v, found, result)
}

// sampleRequest is the request of the sample: what was pasted, or what the
// fields say.
func sampleRequest(f *form) (wire.Value, error) {
	if pasted := f.Value(formRequest); pasted != "" {
		request, err := wire.Parse([]byte(pasted))
		if err == nil && request.Kind() != wire.Object {
			err = fault.New(fault.Malformed, fault.CodeWrongType, "must be a request: a JSON object")
		}
		return request, err
	}

	blocks := map[string]any{}
	for i := range sampleFields {
		s := &sampleFields[i]
		block, _ := blocks[s.Block].(map[string]any)
		if block == nil {
			block = map[string]any{}
			blocks[s.Block] = block
		}

		kind := asNumber
		if s.Text {
			kind = asText
		}

		(&editField{Name: s.Name, Kind: kind}).put(block, f.Value(s.Name))
	}

	return (&draft{blocks}).value()
}

// previewBody asks for the preview of a request under a version.
func previewBody(request wire.Value, found *version, compare bool) (wire.Value, error) {
	ask, err := draftOf(request)
	if err != nil {
		return wire.Value{}, err
	}

	ask.root["rule_set_id"], ask.root["policy_key"] = found.Set.ID, found.Set.PolicyKey
	delete(ask.root, "compare")
	if compare {
		ask.root["compare"] = true
	}

	return ask.value()
}

// sampleFaults puts faults beside the fields of the sample, or beside what was
// pasted.
func sampleFaults(err error, pasted bool) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return err
	}

	at := *refusal
	at.Items = slices.Clone(refusal.Items)
	if len(at.Items) == 0 && pasted && refusal.Kind == fault.Malformed {
		at.Items = []fault.Item{{Code: refusal.Code, Detail: refusal.Detail}}
	}

	for i := range at.Items {
		item := &at.Items[i]
		if pasted {
			item.Detail = strings.TrimSpace(item.Pointer + " " + item.Detail)
			item.Pointer = "/" + formRequest
			continue
		}
		if _, name, nested := strings.Cut(strings.TrimPrefix(item.Pointer, "/"), "/"); nested {
			item.Pointer = "/" + name
		}
	}

	return &at
}

// outcomeRows put two decisions beside each other, or tell of one.
func outcomeRows(active, this wire.Value) []outcomeRow {
	var rows []outcomeRow
	for _, r := range []struct {
		label string
		of    func(wire.Value) string
	}{
		{"Status", func(d wire.Value) string { return badgeOf(d.Get("status").Text()).Text }},
		{"Grade", func(d wire.Value) string { return d.Get("grade").Text() }},
		{"Score", func(d wire.Value) string { return d.Get("explanation").Get("final_score").Text() }},
		{"Limit", offered("limit", rupeesText)},
		{"Interest", offered("interest_rate", percentText)},
		{"Tenure", offered("tenure_months", monthsText)},
		{"EMI", offered("emi", rupeesText)},
		{"APR", offered("apr", percentText)},
		{"Bound by", offered("binding_constraint", func(v wire.Value) string { return words(v.Text()) })},
		{"Rules that hit", hitRules},
		{"Adjustments", appliedRules},
		{"Reasons", reasonTexts},
	} {
		row := outcomeRow{Label: r.label, This: r.of(this)}
		if active.Given() {
			row.Active = r.of(active)
			row.Changed = row.Active != row.This
		}
		rows = append(rows, row)
	}
	return rows
}

func offered(name string, text func(wire.Value) string) func(wire.Value) string {
	return func(d wire.Value) string {
		if v := d.Get("offer").Get(name); v.Given() {
			return text(v)
		}
		return ""
	}
}

func rupeesText(v wire.Value) string {
	text, _ := rupees(v)
	return text
}

func percentText(v wire.Value) string { return v.Text() + " %" }

func monthsText(v wire.Value) string { return v.Text() + " months" }

// hitRules are the knockouts that declined or referred.
func hitRules(d wire.Value) string { return firedRules(d, "fail", "refer") }

func appliedRules(d wire.Value) string { return firedRules(d, "applied") }

func firedRules(d wire.Value, results ...string) string {
	var list []string
	for _, r := range d.Get("explanation").Get("fired_rules").Elements() {
		if !slices.Contains(results, r.Get("result").Text()) {
			continue
		}

		text := r.Get("id").Text()
		if delta := r.Get("delta").Text(); delta != "" {
			text += " (" + withSign(delta) + ")"
		}

		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func reasonTexts(d wire.Value) string {
	var list []string
	for _, r := range d.Get("reasons").Elements() {
		text := r.Get("code").Text()
		if why := r.Get("detail").Get("text").Text(); why != "" {
			text += ": " + why
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// ThisStatus is what this version comes to.
func (o *outcome) ThisStatus() string { return o.This.Get("status").Text() }

// ActiveStatus is what the active one comes to, "" when there is none.
func (o *outcome) ActiveStatus() string { return o.Active.Get("status").Text() }
