package httpapi

import (
	"net/http"
	"strconv"
)

// docsProblems are the examples of problems, by their codes.
func docsProblems(doc docsTree) map[string]string {
	problems := map[string]string{}
	for _, r := range doc.get("components", "responses").members() {
		for _, e := range r.value.get("content", "application/problem+json", "examples").members() {
			problems[e.name] = docsJSON(e.value.get("value"))
		}
	}
	return problems
}

// errors reads the catalogue, each code with its example.
func (v *docsView) errors(problems map[string]string) {
	v.Problem = problems["invalid_field"]
	for _, p := range itemPages {
		item := newDocsError(p, problems)
		item.Item, item.Example = true, docsItemExample(p)
		v.Items = append(v.Items, item)
	}
	for _, p := range errorPages {
		e := newDocsError(p, problems)
		if p.Code == "invalid_field" {
			e.Related = v.Items
		}
		v.Errors = append(v.Errors, e)
	}
}

func newDocsError(p errorPage, problems map[string]string) docsError {
	return docsError{
		Code: p.Code, Title: p.Title, Status: p.Status, StatusText: strconv.Itoa(p.Status) + " " + http.StatusText(p.Status),
		Meaning: readDocsText(p.Meaning), Cause: readDocsText(p.Cause), Mend: readDocsText(p.Mend), Example: problems[p.Code],
	}
}

// docsItemExample is a problem with one entry of this code.
func docsItemExample(p errorPage) string {
	sample, ok := docsItemSamples[p.Code]
	if !ok {
		return ""
	}
	return `{
  "type": "/docs/errors/invalid_field",
  "title": ` + docsQuote(errorTitle("invalid_field")) + `,
  "status": 422,
  "code": "invalid_field",
  "detail": ` + docsQuote(sample.pointer+" "+sample.detail) + `,
  "request_id": "req_01KA2W4Q8M6V8YK4SZC7NDEWJF",
  "errors": [
    {
      "pointer": ` + docsQuote(sample.pointer) + `,
      "code": ` + docsQuote(p.Code) + `,
      "detail": ` + docsQuote(sample.detail) + `
    }
  ]
}`
}

// docsItemSamples are entries as the service writes them.
var docsItemSamples = map[string]struct{ pointer, detail string }{
	"required":           {"/bureau_report/score", "is required: a whole number, 300 to 900, or a new-to-credit code (-1, 0, 1 to 6)"},
	"wrong_type":         {"/applicant/monthly_income", "must be a number, but is a string"},
	"out_of_range":       {"/applicant/foir", "must be a ratio between 0 and 5 (0.35 means 35 percent)"},
	"policy_too_costly":  {"", "the policy has 120008 predicates, operands, bins and bands (ten values of a list count as one); at most 100000 are allowed: remove or join rules"},
	"wrong_endpoint":     {"/report", "belongs to an evaluate request: send this body to POST /v1/evaluate"},
	"too_many":           {"/inputs", "has more than 100 entries, the most for a scorecard of 500 factors"},
	"duplicate":          {"/knockouts/3/id", "is used twice; ids are unique"},
	"too_few_rows":       {"/target", "there are 40 goods and 12 bads to learn from; at least 50 of each are needed"},
	"conflicting_inputs": {"/challenger_rule_set_id", "the two policies declare employer.category with different types"},
	"invalid_email":      {"/email", "must be an e-mail address such as admin@example.in, at most 254 characters of ASCII"},
	"invalid_character":  {"/password", "must not hold control characters"},
	"password_is_email":  {"/password", "must not be the e-mail address"},
	"unknown_scope":      {"/scopes", "a scope must be one of decide, read, policy:write, policy:activate, facts:read, admin"},
	"bin_gap":            {"/scorecard/factors/0/bins/1", "values from 0.3 up to 0.4 have no bin"},
	"bin_overlap":        {"/scorecard/factors/0/bins/1", "values from 0.3 up to 0.4 have two bins"},
	"band_gap":           {"/pricing_bands/1", "scores 690 to 699, between PB_C and PB_B, have no band; close the gap or set allow_gaps"},
	"band_overlap":       {"/pricing_bands/1", "scores 690 to 699 stand in PB_C too"},
}
