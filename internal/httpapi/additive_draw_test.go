package httpapi_test

import (
	"fmt"
	"slices"
	"strings"

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
}

// source is a group of fields and the request blocks that supply them.
type source struct {
	name   string
	blocks []string
	fields func(t *rapid.T) string
}

// sources lists the groups that the fields of drawn policies are taken from.
// The report needs no block, because every request has a report.
var sources = []source{
	{"BANK", []string{"bank_summary"}, oneOfGroup("bank_")},
	{"BANK_SENT", []string{"bank_summary"}, oneOfGroup("bank_summary.")},
	{"BUREAU_FEATURE", []string{"features"}, oneFeature(feature.Bureau)},
	{"BANK_FEATURE", []string{"features", "bank_summary"}, oneFeature(feature.Bank)},
	{
		"DEVICE",
		[]string{"device"},
		oneOf("device_is_rooted", "device_is_emulator", "device.sim_age_days", "device.loan_apps_installed_count"),
	},
	{
		"LOCATION",
		[]string{"location"},
		oneOf("location_permission_denied", "location.lat", "location.permission_denied"),
	},
	{"FRAUD", []string{"fraud"}, oneOf("fraud.pincode", "fraud.agent_id", "fraud.applicant_ref")},
	{"REPORT", nil, oneOf("bureau_score", "foir", "monthly_income", "enquiries_6m", "max_dpd_12m",
		"bureau_card_utilisation", "bureau_total_emi")},
}

func oneOf(names ...string) func(*rapid.T) string {
	return func(t *rapid.T) string { return rapid.SampledFrom(names).Draw(t, "field") }
}

// oneOfGroup draws a numeric field of the catalogue whose name has the prefix.
func oneOfGroup(prefix string) func(*rapid.T) string {
	var names []string
	c := field.Catalogue()
	for id := range rule.FieldID(c.Len()) {
		f := c.Field(id)
		if strings.HasPrefix(f.Name, prefix) && f.Type == rule.NumberType &&
			strings.Contains(f.Name, ".") == strings.HasSuffix(prefix, ".") {
			names = append(names, f.Name)
		}
	}
	return oneOf(names...)
}

func oneFeature(source string) func(*rapid.T) string {
	var names []string
	for n := range feature.All() {
		if m, _ := feature.LookupMetric(n.Metric); m.Source == source {
			names = append(names, n.String())
		}
	}
	return oneOf(names...)
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
	}
	p.id = fmt.Sprintf("R%d_%s", i, from.name)
	if p.kind == "factor" {
		if p.fields = []string{from.fields(t)}; typeOf(p.fields[0]) != rule.NumberType {
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
	name := from.fields(t)
	p.fields = append(p.fields, name)
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

func typeOf(name string) rule.Type {
	id, _ := field.Catalogue().Lookup(name)
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
	}
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
