package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// part is a rule, an adjustment or a factor of a drawn policy.
type part struct {
	kind   string // "knockout", "adjustment" or "factor"
	id     string
	text   string
	reads  []string // blocks that supply the fields that the part names
	needs  []string // blocks without which the part has no effect; nil if there are none
	fields []string
	state  bool // the part names facts that depend on what the tenant has stored
}

// source is a group of fields and the request blocks that supply them.
type source struct {
	name   string
	blocks []string
	fields []string
	// lookedUp is true if conditions look the fields up in the list drawnList instead of comparing them.
	lookedUp bool
	// always is true if a rule can have an effect without the blocks.
	always bool
}

// The list and the table that drawn policies name.
const (
	drawnList  = "watched"
	drawnTable = "drawn_limits"
)

// sources lists the groups that the fields of drawn policies are taken from.
// The report needs no block, because every request has a report.
var sources = []source{
	{name: "BANK", blocks: []string{"bank_summary"}, fields: ofGroup("bank_")},
	{name: "BANK_SENT", blocks: []string{"bank_summary"}, fields: ofGroup("bank_summary.")},
	{name: "BUREAU_FEATURE", blocks: []string{"features"}, fields: features(feature.Bureau)},
	{name: "BANK_FEATURE", blocks: []string{"features", "bank_summary"}, fields: features(feature.Bank)},
	{name: "DEVICE", blocks: []string{"device"}, fields: []string{
		"device_is_rooted", "device_is_emulator", "device.sim_age_days", "device.loan_apps_installed_count",
	}},
	{name: "LOCATION", blocks: []string{"location"}, fields: []string{
		"location_permission_denied", "location.lat", "location.permission_denied",
	}},
	{name: "FRAUD", blocks: []string{"fraud"}, fields: []string{
		"fraud.pincode", "fraud.agent_id", "fraud.applicant_ref", "fraud_beneficiary_applicants",
	}},
	{name: "LIST", blocks: []string{"fraud"}, fields: []string{"fraud.pincode", "fraud.agent_id"}, lookedUp: true},
	{name: "TABLE", blocks: []string{"fraud"}, fields: []string{
		rule.TableFact(drawnTable, "cap"), rule.TableFact(drawnTable, "served"),
	}},
	// A policy that names one of these fields declines an application without a reference. The fraud block and the id
	// of an applicant are references too.
	{name: "OWN", blocks: []string{"applicant_ref", "fraud", "applicants"}, always: true,
		fields: append(field.OwnOfNamed(), field.OwnReference, field.OwnDaysSinceDecline)},
	{name: "PEOPLE", blocks: []string{"applicants"}, fields: []string{
		field.OfRole(field.CoApplicant, "bureau_score"), field.OfRole(field.CoApplicant, "monthly_income"),
		field.OfRole(field.Guarantor, "bureau_score"), field.OfRole(field.Guarantor, "enquiries_6m"),
		field.HasCoApplicant,
	}},
	{name: "APPLICANT", blocks: []string{"applicants"}, fields: []string{"applicant.id"}},
	{name: "AFFORDABILITY", fields: []string{field.IncomeEffective, field.FOIREffective}},
	{name: "REPORT", fields: []string{
		"bureau_score", "foir", "monthly_income", "enquiries_6m", "max_dpd_12m", "bureau_card_utilisation",
		"bureau_total_emi", "report.incomeAssessment.monthlyIncome",
	}},
}

// state lists the sources whose facts depend on what the tenant has stored. Their facts change although the request
// stays the same.
var state = []string{"LIST", "TABLE", "OWN"}

// ofGroup returns the catalogue's numeric fields whose names begin with the prefix.
func ofGroup(prefix string) (names []string) {
	c := field.Catalogue()
	for id := range rule.FieldID(c.Len()) {
		f := c.Field(id)
		if strings.HasPrefix(f.Name, prefix) && f.Type == rule.NumberType &&
			strings.Contains(f.Name, ".") == strings.HasSuffix(prefix, ".") {
			names = append(names, f.Name)
		}
	}
	return names
}

// features returns the names of the features that are computed from a source.
func features(of string) (names []string) {
	for n := range feature.All() {
		if m, _ := feature.LookupMetric(n.Metric); m.Source == of {
			names = append(names, n.String())
		}
	}
	return names
}

// TestEveryFactHasASource checks that the policies that TestBlocksAreAdditive draws name fields of every group of the
// catalogue that an evaluate request can supply, and look fields up in lists and tables. A new group of facts needs a
// source.
func TestEveryFactHasASource(t *testing.T) {
	t.Parallel()
	c := field.Catalogue()
	drawn, looksUp, readsTable := map[string]bool{}, false, false
	for _, s := range sources {
		looksUp = looksUp || s.lookedUp
		for _, name := range s.fields {
			if id, ok := c.Lookup(name); ok {
				drawn[c.Field(id).Group] = true
				continue
			}
			table, _, is := rule.ParseTableFact(name)
			if readsTable = readsTable || is; table != drawnTable {
				t.Errorf("%s names %s, which is neither in the catalogue nor a column of the table %s", s.name, name,
					drawnTable)
			}
		}
	}
	for id := range rule.FieldID(c.Len()) {
		if f := c.Field(id); f.Supply&rule.FromEvaluate != 0 && !drawn[f.Group] {
			t.Errorf("%s is of the group %q, of which no source has a field", f.Name, f.Group)
			drawn[f.Group] = true
		}
	}
	if !looksUp || !readsTable {
		t.Errorf("lists are looked up: %v; tables are read: %v", looksUp, readsTable)
	}
	for _, name := range state {
		if !slices.ContainsFunc(sources, func(s source) bool { return s.name == name }) {
			t.Errorf("there is no source %s", name)
		}
	}
}

// drawParts draws the rules, adjustments and factors of a policy.
func drawParts(t *rapid.T) (parts []part) {
	wanted := slices.DeleteFunc(slices.Clone(sources), func(source) bool { return !rapid.Bool().Draw(t, "is named") })
	if len(wanted) == 0 {
		wanted = sources[len(sources)-1:]
	}
	used := map[string]bool{}
	for i := range rapid.IntRange(1, 10).Draw(t, "parts") {
		p := drawPart(t, i, wanted)
		if p.kind == "factor" && used[p.fields[0]] {
			continue // a field can have only one factor
		}
		used[p.fields[0]] = used[p.fields[0]] || p.kind == "factor"
		parts = append(parts, p)
	}
	return parts
}

func drawPart(t *rapid.T, i int, wanted []source) part {
	from := rapid.SampledFrom(wanted).Draw(t, "source")
	p := part{
		kind:  rapid.SampledFrom([]string{"knockout", "knockout", "adjustment", "factor"}).Draw(t, "kind"),
		reads: from.blocks,
		needs: from.blocks,
		state: slices.Contains(state, from.name),
	}
	if from.always {
		p.needs = nil
	}
	p.id = fmt.Sprintf("R%d_%s", i, from.name)
	if p.kind == "factor" {
		p.fields = []string{from.field(t)}
		if typeOf(p.fields[0]) != rule.NumberType {
			p.kind = "knockout"
		}
	}
	if p.kind == "factor" {
		cut := drawNumber(t)
		p.text = fmt.Sprintf(
			`{"factor":%q,"field":%q,"reason_code":"BUR_SCORE","bins":[{"lt":%d,"points":%d},{"gte":%d,"points":%d}]}`,
			p.id, p.fields[0], cut, rapid.IntRange(-40, 40).Draw(t, "points"), cut,
			rapid.IntRange(-40, 40).Draw(t, "points"))
		return p
	}
	condition := drawCondition(t, &p, from, 3)
	if rapid.IntRange(0, 3).Draw(t, "mixed") == 0 {
		// Add a condition on a second source. It can decide the rule even if
		// the first source's block is missing, so the rule needs no block.
		other := rapid.SampledFrom(wanted).Draw(t, "other source")
		condition = fmt.Sprintf(`{"op":%q,"args":[%s,%s]}`, rapid.SampledFrom([]string{"and", "or"}).Draw(t, "op"),
			condition, drawCondition(t, &p, other, 1))
		p.reads, p.needs = append(slices.Clone(p.reads), other.blocks...), nil
		p.state = p.state || slices.Contains(state, other.name)
	}
	p.text = fmt.Sprintf(`{"id":%q,"stage":1,"action":%q,"reason_code":"BUR_ENQ","condition_ast":%s}`, p.id,
		rapid.SampledFrom([]string{"decline", "refer"}).Draw(t, "action"), condition)
	if p.kind == "adjustment" {
		p.text = fmt.Sprintf(`{"id":%q,"delta":%d,"condition_ast":%s}`, p.id,
			rapid.IntRange(-30, 30).Draw(t, "delta"), condition)
	}
	return p
}

// drawCondition draws a condition over the fields of one source. It draws no
// operator that tests for absence, because a rule with such an operator would
// not need its block.
func drawCondition(t *rapid.T, p *part, from source, depth int) string {
	if depth > 0 {
		switch rapid.SampledFrom([]string{"leaf", "leaf", "not", "and", "or"}).Draw(t, "node") {
		case "not":
			return `{"op":"not","arg":` + drawCondition(t, p, from, depth-1) + `}`
		case "and":
			return `{"op":"and","args":[` + drawCondition(t, p, from, depth-1) + "," +
				drawCondition(t, p, from, depth-1) + `]}`
		case "or":
			return `{"op":"or","args":[` + drawCondition(t, p, from, depth-1) + "," +
				drawCondition(t, p, from, depth-1) + `]}`
		}
	}
	name := from.field(t)
	p.fields = append(p.fields, name)
	if from.lookedUp {
		return fmt.Sprintf(`{"op":%q,"field":%q,"list":%q}`,
			rapid.SampledFrom([]string{"in_list", "not_in_list"}).Draw(t, "op"), name, drawnList)
	}
	switch typeOf(name) {
	case rule.BoolType:
		return fmt.Sprintf(`{"op":"eq","field":%q,"value":%v}`, name, rapid.Bool().Draw(t, "value"))
	case rule.StringType:
		return fmt.Sprintf(`{"op":"in","field":%q,"values":["400001","AG-7","A-77"]}`, name)
	case rule.Absent, rule.NumberType:
	}
	return fmt.Sprintf(`{"op":%q,"field":%q,"value":%d}`,
		rapid.SampledFrom([]string{"lt", "lte", "gt", "gte", "eq", "ne"}).Draw(t, "op"), name, drawNumber(t))
}

// field draws one of the fields.
func (s source) field(t *rapid.T) string { return rapid.SampledFrom(s.fields).Draw(t, "field") }

func typeOf(name string) rule.Type {
	id, known := field.Catalogue().Lookup(name)
	switch {
	case known:
	case strings.HasSuffix(name, ".served"):
		return rule.BoolType
	default:
		return rule.NumberType
	}
	return field.Catalogue().Field(id).Type
}

func drawNumber(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, 1, 2, 3, 10, 30, 100, 700, 10_000, 62_000, 120_000}).Draw(t, "number")
}

// namedBlocks returns the blocks whose fields the parts name.
func namedBlocks(parts []part) map[string]bool {
	named := map[string]bool{}
	for _, p := range parts {
		for _, name := range p.reads {
			named[name] = true
		}
	}
	return named
}

// policyOf returns a policy that has only the given parts and a scorecard.
func policyOf(parts []part) string {
	of := func(kind string) string {
		var texts []string
		for _, p := range parts {
			if p.kind == kind {
				texts = append(texts, p.text)
			}
		}
		return strings.Join(texts, ",")
	}
	return fmt.Sprintf(`{"name":"drawn","include_defaults":false,"knockouts":[%s],"adjustments":[%s],
		"scorecard":{"base_points":690,"min_score":300,"max_score":900,"factors":[%s]}}`, of("knockout"),
		of("adjustment"), of("factor"))
}

// drawRequest draws a report and every block.
func drawRequest(t *rapid.T) (report string, blocks []block) {
	score := rapid.OneOf(rapid.IntRange(300, 900), rapid.IntRange(-1, 6)).Draw(t, "score")
	report = fmt.Sprintf(`"scoreData":{"score":%d}`, score)
	if rapid.Bool().Draw(t, "has scalars") {
		report += fmt.Sprintf(`,"incomeAssessment":{"monthlyIncome":%d,"foir":%d},"requestedAmount":%d`,
			rapid.IntRange(10_000, 200_000).Draw(t, "income"), rapid.IntRange(0, 80).Draw(t, "foir"),
			rapid.IntRange(10_000, 900_000).Draw(t, "amount"))
	}
	if rapid.Bool().Draw(t, "has a history") {
		report += "," + drawHistory(t)
	}
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	return report, []block{
		askFeatures,
		{"device", fmt.Sprintf(`{"is_rooted":%v,"is_emulator":%v,"sim_age_days":%d,
			"loan_apps_installed_count":%d,"device_id":"d-1"}`,
			flag("rooted"), flag("emulator"), drawNumber(t), drawNumber(t))},
		{
			"location",
			fmt.Sprintf(`{"lat":19.07,"lng":72.87,"ip":"203.0.113.77","permission_denied":%v}`, flag("denied")),
		},
		fraud,
		{
			"bank_summary",
			statement(rapid.IntRange(20_000, 90_000).Draw(t, "salary"), rapid.IntRange(1000, 15_000).Draw(t, "emi")),
		},
		{"applicant_ref", `"` + drawnRef + `"`},
		{"applicants", drawOthers(t)},
	}
}

// drawnRef is the reference of the applicant. It is the same as in the fraud block.
const drawnRef = "A-77"

// drawOthers draws the entries of a co-applicant, a guarantor, or both.
func drawOthers(t *rapid.T) string {
	roles := rapid.SampledFrom([][]string{
		{field.CoApplicant}, {field.Guarantor}, {field.CoApplicant, field.Guarantor},
	}).Draw(t, "roles")
	var entries []string
	for i, role := range roles {
		entries = append(entries, fmt.Sprintf(`{"role":%q,"applicant_ref":"B-%d","bureau":"cibil","report":{"cibil":{
			"scoreData":{"score":%d},"incomeAssessment":{"monthlyIncome":%d,"foir":%d},"accounts":[],"enquiries":[]}},
			"consent":{"id":"C-1","at":"2026-11-11T10:00:00Z"}}`, role, i,
			rapid.IntRange(300, 900).Draw(t, "other score"), rapid.IntRange(10_000, 200_000).Draw(t, "other income"),
			rapid.IntRange(0, 80).Draw(t, "other foir")))
	}
	return strings.Join(entries, ",")
}

// applicationOf returns an evaluate request with the blocks. If one of the blocks lists other people, the report and
// the bank statement are in the entry of the primary applicant.
func applicationOf(report string, blocks []block) string {
	at := slices.IndexFunc(blocks, func(b block) bool { return b.name == "applicants" && b.value != "null" })
	if at < 0 {
		return evaluationOf("cibil", report, blocks...)
	}
	primary, top := fmt.Sprintf(`{"role":"primary","id":%q,"bureau":"cibil","report":{"cibil":{%s}}`, drawnRef,
		report), ""
	for i, b := range blocks {
		switch {
		case i == at:
		case b.name == "bank_summary":
			primary += `,"bank_summary":` + b.value
		default:
			top += fmt.Sprintf(`,%q:%s`, b.name, b.value)
		}
	}
	return `{"applicants":[` + primary + `},` + blocks[at].value + `]` + top + `}`
}

// drawHistory draws accounts and enquiries dated within the year 2026.
func drawHistory(t *rapid.T) string {
	var accounts, enquiries []string
	date := func() string {
		return fmt.Sprintf("2026-%02d-%02d", rapid.IntRange(1, 10).Draw(t, "month"),
			rapid.IntRange(1, 28).Draw(t, "day"))
	}
	product := func() string {
		return rapid.SampledFrom([]string{"personal_loan", "credit_card", "home_loan", "gold_loan", "business_loan"}).
			Draw(t, "product")
	}
	for range rapid.IntRange(0, 4).Draw(t, "accounts") {
		accounts = append(accounts, fmt.Sprintf(`{"accountType":%q,"openDate":%q,"sanctionedAmount":%d,
			"currentBalance":%d,"emi":%d,
			"paymentHistory":[{"month":"2026-10","dpd":%d}]}`, product(), date(), 1+drawNumber(t), drawNumber(t),
			drawNumber(t), drawNumber(t)%400))
	}
	for range rapid.IntRange(0, 4).Draw(t, "enquiries") {
		enquiries = append(enquiries,
			fmt.Sprintf(`{"date":%q,"product":%q,"amount":%d}`, date(), product(), drawNumber(t)))
	}
	return fmt.Sprintf(`"reportDate":"2026-11-%02d","accounts":[%s],"enquiries":[%s]`,
		rapid.IntRange(1, 15).Draw(t, "reported"),
		strings.Join(accounts, ","), strings.Join(enquiries, ","))
}
