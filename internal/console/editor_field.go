package console

import (
	"net/url"
	"strings"

	"verdict/internal/wire"
)

// The sections of the editor that are lists of lines. All sections except the factors have
// the same names as in the document.
const (
	sectionKnockouts   = "knockouts"
	sectionAdjustments = "adjustments"
	sectionTerms       = "conditions"
	sectionFactors     = "factors"
	sectionBands       = "pricing_bands"
	sectionCaps        = "limit_caps"
	sectionCharges     = "charges"
	sectionInputs      = "inputs"
)

// editKind is the way in which a member is edited and stored.
type editKind string

const (
	asText      editKind = ""
	asNumber    editKind = "number"    // text that is no number is kept, and the check reports it beside its field
	asShare     editKind = "share"     // a ratio that is shown in percent, such as 0.5 as "50 %"
	asFlag      editKind = "flag"      // a checkbox
	asLines     editKind = "lines"     // texts, one per line
	asNumbers   editKind = "numbers"   // separated by commas
	asCondition editKind = "condition" // a condition_ast
	asOperand   editKind = "operand"   // a number, a field or arithmetic, as JSON
)

// editField describes a member of a line that can be edited.
type editField struct {
	Name, Label, Hint string
	Kind              editKind
	Choices           []option
	Required          bool
	Wide              bool
	Names             bool // whether the value is the name of a field

	begins string // value in a new line
}

var actionChoices = []option{{Value: "decline", Label: "Decline"}, {Value: "refer", Label: "Refer to a person"}}

// sectionTitles has, for each section, the name of one of its lines in the singular.
var sectionTitles = map[string]string{
	sectionKnockouts:   "knockout",
	sectionAdjustments: "adjustment",
	sectionTerms:       "condition of the offer",
	sectionFactors:     "factor",
	sectionBands:       "pricing band",
	sectionCaps:        "limit cap",
	sectionCharges:     "charge",
	sectionInputs:      "input",
}

// sectionFields lists the members of each section's lines. Members of a line that are not
// listed stay unchanged.
var sectionFields = map[string][]editField{
	sectionKnockouts: {
		{
			Name:     "id",
			Label:    "Id",
			Hint:     "Letters, digits, “_”, “.” and “-”. Decisions refer to the rule by this id.",
			Required: true,
		},
		{Name: "action", Label: "When it hits", Choices: actionChoices, begins: "decline"},
		{Name: "stage", Label: "Stage", Kind: asNumber, begins: "1", Choices: []option{
			{Value: "1", Label: "1, before the score"}, {Value: "2", Label: "2, with score and offer known"}}},
		{
			Name:  "reason_code",
			Label: "Reason code",
			Hint:  "Capitals, digits and “_”. If empty, the default code of the condition's field is used.",
		},
		{
			Name:   "on_absent",
			Label:  "When a field is absent",
			begins: "pass",
			Choices: []option{
				{Value: "pass", Label: "Pass"},
				{Value: "refer", Label: "Refer"},
				{Value: "fail", Label: "Count as a hit"},
			},
		},
		{Name: "condition_ast", Label: "Condition", Kind: asCondition, Required: true, Wide: true},
		{
			Name:  "message",
			Label: "Message for the lender",
			Hint:  "Names in braces, such as {bureau_score} or {threshold}, are replaced by values.",
			Wide:  true,
		},
		{
			Name:  "applicant_message",
			Label: "Message for the applicant",
			Hint:  "Replaces the usual text of the reason code.",
			Wide:  true,
		},
	},
	sectionAdjustments: {
		{Name: "id", Label: "Id", Required: true},
		{Name: "delta", Label: "Points to add", Hint: "Negative to subtract points.", Kind: asNumber, Required: true},
		{Name: "reason_code", Label: "Reason code", Hint: "Only if points are subtracted."},
		{Name: "condition_ast", Label: "Condition", Kind: asCondition, Required: true, Wide: true},
	},
	sectionTerms: {
		{Name: "code", Label: "Code", Required: true},
		{Name: "text", Label: "What the applicant must provide", Required: true, Wide: true},
		{Name: "condition_ast", Label: "Asked for when", Kind: asCondition, Required: true, Wide: true},
	},
	sectionFactors: {
		{Name: "factor", Label: "Factor", Required: true},
		{Name: "field", Label: "Field", Names: true, Required: true},
		{Name: "reason_code", Label: "Reason code"},
		{Name: "weight", Label: "Weight", Kind: asNumber, Hint: "1 unless the points should be multiplied."},
		{Name: "missing_points", Label: "Points when absent", Kind: asNumber},
		{Name: "when", Label: "Counts only when", Kind: asCondition, Wide: true},
	},
	sectionBands: {
		{Name: "id", Label: "Id", Required: true},
		{Name: "grade", Label: "Grade", Required: true},
		{
			Name:    "action",
			Label:   "Outcome",
			begins:  "approve",
			Choices: append([]option{{Value: "approve", Label: "Approve"}}, actionChoices...),
		},
		{Name: "ntc", Label: "For applicants who are new to credit", Kind: asFlag},
		{Name: "min_score", Label: "Lowest score", Kind: asNumber},
		{Name: "max_score", Label: "Highest score", Kind: asNumber},
		{Name: "interest_rate", Label: "Interest, % a year", Kind: asNumber},
		{Name: "tenure_months", Label: "Usual tenure, months", Kind: asNumber},
		{Name: "tenures_allowed", Label: "Tenures allowed, months", Kind: asNumbers},
		{Name: "min_limit", Label: "Smallest loan, ₹", Kind: asNumber},
		{Name: "max_limit", Label: "Largest loan, ₹", Kind: asNumber},
		{Name: "default_limit", Label: "Loan if the income is unknown, ₹", Kind: asNumber},
		{Name: "income_multiple", Label: "Maximum, as a multiple of income", Kind: asNumber},
		{Name: "foir_cap", Label: "FOIR cap", Hint: "50 % is half of the income. 0.5 means the same.", Kind: asShare},
		{Name: "processing_fee_pct", Label: "Fee, %", Kind: asNumber},
		{Name: "processing_fee_min", Label: "Minimum fee, ₹", Kind: asNumber},
		{Name: "gst_pct", Label: "GST on the fee, %", Kind: asNumber},
		{Name: "when", Label: "Only for applicants with", Kind: asCondition, Wide: true},
	},
	sectionCaps: {
		{Name: "id", Label: "Id", Required: true},
		{
			Name:     "of",
			Label:    "Largest loan, ₹",
			Hint:     `As JSON: {"value": 200000}, {"field": "…"}, or {"op": "mul", "args": [{"value": 0.85}, …]}.`,
			Kind:     asOperand,
			Required: true,
			Wide:     true,
		},
		{Name: "reason_code", Label: "Reason code", Hint: "If empty, the code of a band's maximum is used."},
		{
			Name:  "applicant_message",
			Label: "Message for the applicant",
			Hint:  "Replaces the usual text of the reason code if the cap determines the amount.",
			Wide:  true,
		},
		{Name: "when", Label: "Applies only when", Kind: asCondition, Wide: true},
	},
	sectionCharges: {
		{
			Name:     "id",
			Label:    "Id",
			Hint:     "Such as insurance or stamp_duty. The lender profile can give it a name for applicants.",
			Required: true,
		},
		{Name: "to", Label: "Paid to", begins: "lender", Choices: []option{
			{Value: "lender", Label: "The lender"},
			{Value: "third_party", Label: "A third party, through the lender"}}},
		{Name: "kind", Label: "Kind", begins: "fixed", Choices: []option{
			{Value: "fixed", Label: "Fixed amount"}, {Value: "percent", Label: "Percentage of the loan"}}},
		{Name: "amount", Label: "Amount, ₹ or %", Kind: asNumber, Required: true},
		{Name: "min", Label: "At least, ₹", Hint: "Only for a percentage.", Kind: asNumber},
		{Name: "max", Label: "At most, ₹", Hint: "Only for a percentage.", Kind: asNumber},
		{Name: "gst", Label: "GST on the charge, %", Kind: asNumber},
	},
	sectionInputs: {
		{Name: "name", Label: "Path in the request", Hint: "Begins with “applicant.” or “report.”", Required: true},
		{
			Name:   "type",
			Label:  "Type",
			begins: "number",
			Choices: []option{
				{Value: "number", Label: "Number"},
				{Value: "string", Label: "Text"},
				{Value: "boolean", Label: "Yes or no"},
			},
		},
		{Name: "meaning", Label: "Meaning", Wide: true},
	},
}

// generalFields lists the members of the document itself, and scaleFields those of its
// scorecard.
var (
	generalFields = []editField{
		{Name: "name", Label: "Name", Required: true},
		{Name: "policy_key", Label: "Policy key", Hint: "Another key starts another policy.", Required: true},
		{Name: "limit_step", Label: "Limits are multiples of, ₹", Kind: asNumber},
		{Name: "offer_validity_days", Label: "Offers are valid for, days", Kind: asNumber},
		{
			Name:  "required_fields",
			Label: "Required fields",
			Hint:  "One field per line; a|b means that either is enough.",
			Kind:  asLines,
			Wide:  true,
		},
		{
			Name:  "actionable_fields",
			Label: "Fields that advice may change",
			Hint:  "One per line.",
			Kind:  asLines,
			Wide:  true,
		},
		{Name: "include_defaults", Label: "Merge the built-in rules", Kind: asFlag},
		{Name: "allow_gaps", Label: "Allow scores without a band", Kind: asFlag},
	}
	scaleFields = []editField{
		{Name: "base_points", Label: "Base points", Kind: asNumber, Required: true},
		{Name: "min_score", Label: "Lowest score", Kind: asNumber},
		{Name: "max_score", Label: "Highest score", Kind: asNumber},
		{Name: "pdo", Label: "Points that double the odds", Kind: asNumber},
		{Name: "anchor_score", Label: "Score of the known odds", Kind: asNumber},
		{Name: "anchor_odds", Label: "Odds of good to bad at that score (N to 1)", Kind: asNumber},
	}
)

// put sets a member from the typed text. An empty text removes the member, except that a
// flag becomes false and lines become an empty list. A text that does not match the kind of
// the field is kept as text, so that the check reports it beside the field, where it can be
// corrected.
func (f *editField) put(row map[string]any, typed string) {
	typed = strings.TrimSpace(strings.ReplaceAll(typed, "\r\n", "\n"))
	switch {
	case f.Kind == asFlag:
		row[f.Name] = typed != ""
	case f.Kind == asLines:
		row[f.Name] = split(typed, "\n", func(s string) any { return s })
	case typed == "":
		delete(row, f.Name)
	case f.Kind == asShare:
		if typed != f.typed(row) { // the number keeps the form in which it was written
			row[f.Name] = numberOrText(ratioOf(typed))
		}
	case f.Kind == asNumber:
		row[f.Name] = numberOrText(typed)
	case f.Kind == asNumbers:
		row[f.Name] = split(typed, ",", numberOrText)
	case f.Kind == asCondition || f.Kind == asOperand:
		row[f.Name] = typed
		if v, err := wire.Parse([]byte(typed)); err == nil {
			row[f.Name] = editable(v)
		}
	default:
		row[f.Name] = typed
	}
}

// numberOrText reads a number as people write it, such as "₹5,00,000". It returns any other
// text unchanged.
func numberOrText(typed string) any {
	plain := strings.NewReplacer(",", "", " ", "", "₹", "", "−", "-").Replace(typed)
	if v, err := wire.Parse([]byte(plain)); err == nil && v.Kind() == wire.Number {
		return literal(plain)
	}
	return typed
}

func split(typed, between string, read func(string) any) []any {
	list := []any{}
	for part := range strings.SplitSeq(typed, between) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, read(part))
		}
	}
	return list
}

// typed returns a member as the text of its field.
func (f *editField) typed(row map[string]any) string {
	v := row[f.Name]
	switch f.Kind {
	case asFlag:
		if on, _ := v.(bool); on {
			return "1"
		}
		return ""
	case asLines, asNumbers:
		between := map[editKind]string{asLines: "\n", asNumbers: ", "}[f.Kind]
		list, _ := v.([]any)
		var texts []string
		for _, e := range list {
			texts = append(texts, plainText(e))
		}
		return strings.Join(texts, between)
	case asShare:
		return shareOf(plainText(v))
	case asCondition, asOperand:
		if _, is := v.(string); is || v == nil {
			return plainText(v)
		}
		return indentedJSON(v)
	default:
		return plainText(v)
	}
}

// indentedJSON returns a value as readable JSON.
func indentedJSON(v any) string {
	var w wire.Writer
	write(&w, v)
	read, err := wire.Parse(w.Buf)
	if err != nil {
		return string(w.Buf) // the value is nested too deeply, which the check refuses
	}
	return indented(read)
}

// plainText returns a scalar without quotes, and anything else as JSON.
func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case literal:
		return string(v)
	}
	var w wire.Writer
	write(&w, v)
	return string(w.Buf)
}

// readFields sets the members of a row from the form's fields with the prefix.
func readFields(fields []editField, row map[string]any, f *form, prefix string) {
	for i := range fields {
		fields[i].put(row, f.values.Get(prefix+fields[i].Name))
	}
}

// formOf returns a form with the fields of a row, named with the prefix.
func formOf(fields []editField, row map[string]any, prefix string) *form {
	f := &form{values: url.Values{}}
	for i := range fields {
		if text := fields[i].typed(row); text != "" || fields[i].Kind != asFlag {
			f.values.Set(prefix+fields[i].Name, text)
		}
	}
	return f
}
