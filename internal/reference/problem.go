package reference

import (
	"net/http"
	"strconv"

	"verdict/internal/fault"
)

// problemExamples returns the examples of problems in the document, by code.
func problemExamples(doc documentNode) map[string]string {
	problems := map[string]string{}
	for _, r := range doc.get("components", "responses").members() {
		for _, e := range r.value.get("content", "application/problem+json", "examples").members() {
			problems[e.name] = jsonText(e.value.get("value"))
		}
	}
	return problems
}

// addErrors adds all error codes, each with its example.
func (v *pageView) addErrors(problems map[string]string) {
	v.Problem = problems[fault.CodeInvalidField]
	for _, p := range itemPages {
		item := newErrorView(p, problems)
		_, item.File = fileSamples[p.Code]
		item.Item, item.Example = true, itemExample(p)
		v.Items = append(v.Items, item)
	}
	for _, p := range errorPages {
		e := newErrorView(p, problems)
		if p.Code == fault.CodeInvalidField {
			e.Related = v.Items
		}
		v.Errors = append(v.Errors, e)
	}
}

func newErrorView(p errorPage, problems map[string]string) errorView {
	return errorView{
		Code:       p.Code,
		Title:      p.Title,
		Status:     p.Status,
		StatusText: strconv.Itoa(p.Status) + " " + http.StatusText(p.Status),
		Meaning:    readText(p.Meaning),
		Cause:      readText(p.Cause),
		Fix:        readText(p.Fix),
		Example:    problems[p.Code],
	}
}

// itemExample returns an example of a problem that has one entry with this
// code, or of a row or run that failed with it, or "" if there is no sample.
func itemExample(p errorPage) string {
	if detail, ok := fileSamples[p.Code]; ok {
		return `"error": {
  "code": ` + quoteJSON(p.Code) + `,
  "detail": ` + quoteJSON(detail) + `
}`
	}
	sample, ok := itemSamples[p.Code]
	if !ok {
		return ""
	}
	return `{
  "type": "/docs/errors/invalid_field",
  "title": ` + quoteJSON(Title(fault.CodeInvalidField)) + `,
  "status": 422,
  "code": "invalid_field",
  "detail": ` + quoteJSON(sample.pointer+" "+sample.detail) + `,
  "request_id": "req_01KA2W4Q8M6V8YK4SZC7NDEWJF",
  "errors": [
    {
      "pointer": ` + quoteJSON(sample.pointer) + `,
      "code": ` + quoteJSON(p.Code) + `,
      "detail": ` + quoteJSON(sample.detail) + `
    }
  ]
}`
}

// itemSamples holds sample entries of "errors", by code.
var itemSamples = map[string]struct{ pointer, detail string }{
	fault.CodeRequired: {"/bureau_report/score", "is required: a whole number, 300 to 900, or a " +
		"new-to-credit code (-1, 0, 1 to 6)"},
	fault.CodeWrongType:  {"/applicant/monthly_income", "must be a number, but is a string"},
	fault.CodeOutOfRange: {"/applicant/foir", "must be a ratio between 0 and 5 (0.35 means 35 percent)"},
	fault.CodePolicyTooCostly: {"", "the policy has 120008 predicates, operands, bins and bands (ten values of a " +
		"list count as one); at most 100000 are allowed: remove or combine rules"},
	fault.CodeWrongEndpoint: {"/report", "belongs to an evaluate request: send this body to POST /v1/evaluate"},
	fault.CodeTooMany:       {"/inputs", "has more than 100 entries, the maximum for a scorecard of 500 factors"},
	fault.CodeDuplicate:     {"/knockouts/3/id", "is used twice; ids are unique"},
	fault.CodeTooFewRows: {"/target", "there are 40 goods and 12 bads to learn from; at least 50 of each are " +
		"needed"},
	fault.CodeConflictingInputs: {"/challenger_rule_set_id", "the two policies declare employer.category with " +
		"different types"},
	fault.CodeInvalidEmail: {"/email", "must be an e-mail address such as admin@example.in, at most 254 " +
		"characters of ASCII"},
	fault.CodeInvalidCharacter: {"/password", "must not contain control characters"},
	fault.CodePasswordIsEmail:  {"/password", "must not be the e-mail address"},
	fault.CodeUnknownScope: {"/scopes", "a scope must be one of decide, read, policy:write, policy:activate, " +
		"facts:read, log:read, evidence:read, webhooks:manage, privacy:manage, admin"},
	fault.CodeBinGap:     {"/scorecard/factors/0/bins/1", "values from 0.3 up to 0.4 have no bin"},
	fault.CodeBinOverlap: {"/scorecard/factors/0/bins/1", "values from 0.3 up to 0.4 have two bins"},
	fault.CodeBandGap: {"/pricing_bands/1", "scores 690 to 699, between PB_C and PB_B, have no band; close " +
		"the gap or set allow_gaps"},
	fault.CodeBandOverlap: {"/pricing_bands/1", "scores 690 to 699 are also in PB_C; bands must not overlap"},
}
