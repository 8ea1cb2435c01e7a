package console

import (
	"slices"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// samplePages serves two pages. The first page decides a sample application with a version and, if another version is
// active, also with that version. It stores and bills nothing. The second page decides a sample in the sandbox with an
// active policy and stores the decision.
type samplePages struct {
	decisions *decisioning.Service
	policies  *policydesk.Service
	versions  policyVersions
}

func (p *samplePages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/policies/{id}/try", handle: p.sample, scope: tenant.Decide},
		{pattern: "POST /console/{env}/policies/{id}/try", handle: p.trySample, scope: tenant.Decide},
		{pattern: "GET /console/{env}/decisions/new", handle: p.newSample, scope: tenant.Decide},
		{pattern: "POST /console/{env}/decisions/new", handle: p.storeSample, scope: tenant.Decide},
	}
}

// sampleField is a field of the sample application, with its place in a request.
type sampleField struct {
	Block, Name, Label, Hint, Begins string
	Text                             bool
	Choices                          []option
}

// sampleFields lists fields that are enough for most policies. For other policies, a person can
// paste a whole request. The initial values describe an applicant whom the default policy
// approves.
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

// formRequest is the name of the field for a pasted request.
const formRequest = "request"

// outcome holds the decision of this version and the decision of the active version.
type outcome struct {
	Active *decisioning.Answer // nil if there is nothing to compare with
	This   *decisioning.Answer
	Rows   []outcomeRow
}

// outcomeRow is one property of both decisions.
type outcomeRow struct {
	Label, Active, This string
	Changed             bool
}

// sample renders the form of the sample.
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

// trySample decides the sample with this version and, if another version is active, also with
// that version. Nothing is stored and nothing is billed.
func (p *samplePages) trySample(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}

	redraw := func(err error) error {
		draw := func(v *visit) error { return p.drawSample(v, found, nil) }
		return v.redraw(sampleFaults(err, v.form.Value(formRequest) != ""), draw)
	}
	request, err := sampleRequest(v.form)
	if err != nil {
		return redraw(err)
	}

	compare := found.Active != nil && !found.Decides()
	ask, err := document.ReadWhatIf(request)
	if err != nil {
		return redraw(err)
	}

	ask.Request = ask.Request.ForPolicy(found.Set.PolicyKey)
	ask.RuleSetID, ask.Compare = found.Set.ID, compare
	previewed, err := p.decisions.Preview(v.ctx, v.caller(), ask)
	if err != nil {
		return redraw(err)
	}
	defer previewed.Release()

	this := previewed.Variant.Answer()
	result := &outcome{This: &this}
	if previewed.Baseline != nil {
		active := previewed.Baseline.Answer()
		result.Active = &active
	}

	result.Rows = outcomeRows(result.Active, result.This)
	return p.drawSample(v, found, result)
}

// sampleRequest returns the pasted request. If none was pasted, it builds a request from the
// fields.
func sampleRequest(f *form) (wire.Value, error) {
	if pasted := f.Value(formRequest); pasted != "" {
		request, err := wire.Parse([]byte(pasted))
		if err == nil && request.Kind() != wire.Object {
			err = fault.New(fault.Malformed, fault.CodeWrongType, "must be a request: a JSON object")
		}
		return request, err
	}

	blocks := map[string]any{}
	if reference := f.Value(formReference); reference != "" {
		blocks[formReference] = reference
	}
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

// sampleFaults changes the pointers of faults to the fields of the sample, or to the field of the
// pasted request.
func sampleFaults(err error, pasted bool) error {
	refusal := fault.Of(err)
	if refusal == nil {
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

// outcomeRows returns the properties of this version's decision. If active is not nil, each row
// also has the property of the active version's decision.
func outcomeRows(active, this *decisioning.Answer) []outcomeRow {
	rows := outcomeOf(this)
	if active == nil {
		return rows
	}
	for i, row := range outcomeOf(active) {
		rows[i].Active = row.This
		rows[i].Changed = rows[i].Active != rows[i].This
	}
	return rows
}

// outcomeOf returns the properties of one decision.
func outcomeOf(d *decisioning.Answer) []outcomeRow {
	offer := &d.Offer
	limit, rate, tenure, instalment, apr := paise(offer.LimitPaise), "", "", "", ""
	if offer.Made {
		rate, apr = decimalText(offer.RateBP, 2)+" %", decimalText(offer.APR, 2)+" %"
		tenure, instalment = itoa(offer.TenureMonths)+" months", paise(offer.InstalmentPaise)
	}
	return []outcomeRow{
		{Label: "Status", This: badgeOf(d.Status).Text},
		{Label: "Grade", This: d.Grade},
		{Label: "Score", This: d.FinalScore.String()},
		{Label: "Limit", This: limit},
		{Label: "Interest", This: rate},
		{Label: "Tenure", This: tenure},
		{Label: "EMI", This: instalment},
		{Label: "APR", This: apr},
		{Label: "Limited by", This: strings.TrimSpace(words(offer.Binding.String()) + " " + offer.LimitCapID)},
		{Label: "Rules that hit", This: hitRules(d)},
		{Label: "Adjustments", This: appliedRules(d)},
		{Label: "Reasons", This: reasonTexts(d)},
	}
}

// hitRules returns the ids of the knockouts that declined or referred.
func hitRules(d *decisioning.Answer) string {
	var list []string
	for _, r := range d.Rules {
		if r.Hit() {
			list = append(list, r.ID)
		}
	}
	return strings.Join(list, ", ")
}

func appliedRules(d *decisioning.Answer) string {
	var list []string
	for _, r := range d.Rules {
		if r.Applied() {
			list = append(list, r.ID+" ("+withSign(r.Delta.String())+")")
		}
	}
	return strings.Join(list, ", ")
}

func reasonTexts(d *decisioning.Answer) string {
	var list []string
	for _, r := range d.Reasons {
		text := r.Code
		if r.Text != "" {
			text += ": " + lenderText(r.Text)
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// ThisStatus returns the status of this version's decision.
func (o *outcome) ThisStatus() string { return o.This.Status }

// ActiveStatus returns the status of the active version's decision, or "" if there is none.
func (o *outcome) ActiveStatus() string {
	if o.Active == nil {
		return ""
	}
	return o.Active.Status
}
