package console

import (
	"cmp"
	"strconv"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// cause is a principal reason with the texts that the page shows.
type cause struct {
	decisioning.Cause
	Label string // the name of the field in words
	Value string // "" if the reason is not about one field
	Limit string // such as "needs at least ₹25,000"; "" unless the reason compares with one value
	Gauge *gauge // nil unless the value and the limit are amounts
	Text  string // the reason in words, for the lender
}

// gauge has the lengths of a bar that shows a value beside its limit, in hundredths of the bar.
type gauge struct{ Value, Limit int64 }

// Causes returns the principal reasons. If the decision cannot be repeated, the reasons have no values.
func (t *shownDecision) Causes() []cause {
	var list []cause
	for _, c := range t.Story.Causes {
		shown := cause{Cause: c, Label: fieldLabel(c.Field.Name), Text: beside(c)}
		if c.Field.Given {
			shown.Value = fieldText(c.Field)
		}
		if c.Limit.Given {
			shown.Limit = "limit " + fieldText(c.Limit)
			if c.Needs != "" {
				shown.Limit = "needs " + c.Needs + " " + fieldText(c.Limit)
			}
			shown.Gauge = gaugeOf(c.Field, c.Limit)
		}
		list = append(list, shown)
	}
	if len(list) > 0 {
		return list
	}
	for _, r := range t.Answer.Reasons {
		list = append(list, cause{
			Cause: decisioning.Cause{Code: r.Code, RuleID: r.RuleID, Message: r.Message},
			Text:  sentence(lenderText(cmp.Or(r.Text, r.Message))),
		})
	}
	return list
}

// beside returns the text of a reason without the parts that the page already shows: the field, its value and its
// limit.
func beside(c decisioning.Cause) string {
	text := c.Text
	if rest, repeats := strings.CutPrefix(text, c.Field.Name+" is "+c.Field.Value); repeats && c.Field.Given {
		if condition, only := strings.CutPrefix(rest, " ("+c.RuleID+": "); only {
			rest = "The rule holds when " + strings.TrimSuffix(condition, ")")
		}
		text = strings.TrimPrefix(rest, ", which ")
	}
	return sentence(causeText(c, cmp.Or(text, c.Message)))
}

// causeText writes the text of a reason for the page. The units of the text come first: ofCause would write the limit
// in "foir > 0.6" in percent, and then it would be taken for a share again.
func causeText(c decisioning.Cause, text string) string {
	return groupDigits(ofCause(c, writeAmounts(text)))
}

// ofCause writes the value and the limit of a reason in its text with their units. Messages of a policy's author
// contain them without the names of the fields. Very short numbers stay, because they may count something else.
func ofCause(c decisioning.Cause, text string) string {
	for _, v := range []decisioning.FieldValue{c.Field, c.Limit} {
		if shown := amountText(v.Name, v.Value); v.Given && len(v.Value) > 2 && shown != v.Value {
			text = replaceNumber(text, v.Value, shown)
		}
	}
	return text
}

// Detail returns the text for the lender of a principal reason, which has the given index.
func (t *shownDecision) Detail(reason int) string {
	text := cmp.Or(t.Answer.Reasons[reason].Text, t.Answer.Reasons[reason].Message)
	if reason < len(t.Story.Causes) {
		return causeText(t.Story.Causes[reason], text)
	}
	return lenderText(text)
}

// gaugeOf returns the bar for two numbers that are not negative, or nil for other values.
func gaugeOf(value, limit decisioning.FieldValue) *gauge {
	v, isNumber := numberOf(value.Value)
	l, isLimit := numberOf(limit.Value)
	most := max(v, l)
	if !value.Given || !isNumber || !isLimit || v < 0 || l < 0 || most == 0 {
		return nil
	}
	// The larger of the two numbers ends at five sixths of the bar.
	return &gauge{int64(v * 500 / (most * 6)), int64(l * 500 / (most * 6))}
}

// initialisms maps words of field names to their readable forms, most of which are in capitals.
var initialisms = map[string]string{
	"abb": "ABB", "apr": "APR", "dpd": "DPD", "emi": "EMI", "foir": "FOIR", "gst": "GST", "id": "id", "ip": "IP",
	"ntc": "NTC", "pan": "PAN", "sim": "SIM", "upi": "UPI", "3m": "in 3 months", "6m": "in 6 months",
	"12m": "in 12 months", "24m": "in 24 months", "36m": "in 36 months", "pct": "percent",
}

// fieldLabels holds the labels of fields whose names would be unclear if they were only written in words.
var fieldLabels = map[string]string{
	"final_score":      "Score",
	"foir_effective":   "FOIR",
	"income_effective": "Monthly income",
	"offer_limit":      "Amount of the offer",
	"post_offer_foir":  "FOIR after the offer",
}

// fieldLabel writes the name of a field in words, such as "Monthly income".
func fieldLabel(name string) string {
	if label := fieldLabels[name]; label != "" {
		return label
	}
	list := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' })
	for i, word := range list {
		if known, found := initialisms[word]; found {
			list[i] = known
		}
	}
	label := strings.Join(list, " ")
	if label != "" && label[0] >= 'a' && label[0] <= 'z' {
		label = string(label[0]-'a'+'A') + label[1:]
	}
	return label
}

// The names of the fields that hold the requested amount and term.
const (
	requestedAmount = "requested_amount"
	requestedMonths = "requested_tenure_months"
)

// isShare reports whether a field is a share of 1 that people state in percent. Other ratios, such as a balance in
// instalments, are multiples.
func isShare(f decisioning.FieldValue) bool {
	return f.Unit == "ratio" && (strings.Contains(f.Name, "foir") || strings.HasSuffix(f.Name, "utilisation"))
}

// percentOf writes a share of 1 as a percentage. It returns text unchanged if it is no number.
func percentOf(text string) string {
	n, ok := numberOf(text)
	if !ok {
		return text
	}
	return (n * 100).String() + " %"
}

// numberOf reads a value of a field that is a number. ok is false for other values, and for numbers that are too large
// to be multiplied by a thousand.
func numberOf(text string) (n rule.Number, ok bool) {
	coef, ok := decimal(&fault.List{}, "", text, rule.Places)
	n = rule.Number(coef)
	return n, ok && max(n, -n) < rule.MaxNumber/1000
}

// lenderText writes a text of the engine for the page, with the units of amounts and shares and with grouped digits.
// The stored text stays unchanged.
func lenderText(text string) string { return groupDigits(writeAmounts(text)) }

// groupDigits writes whole numbers of at least leastGrouped digits with the Indian digit grouping, unless they are part
// of a name or a decimal number.
func groupDigits(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		switch {
		case end == at:
			b.WriteByte(text[at])
			at++
		default:
			if alone(text, at, end) {
				b.WriteString(grouped(text[at:end]))
			} else {
				b.WriteString(text[at:end])
			}
			at = end
		}
	}
	return b.String()
}

// Lender writes a text of the engine with grouped amounts. Templates call it.
func (t *shownDecision) Lender(text string) string { return lenderText(text) }

// leastGrouped is the number of digits from which a number in a text is grouped; shorter numbers are counts, years or
// scores.
const leastGrouped = 5

// alone reports whether the digits of text from start to end are a separate whole number. They must not be part of
// a name, a date or a decimal fraction, and must not be grouped already.
func alone(text string, start, end int) bool {
	if end-start < leastGrouped {
		return false
	}
	if start > 0 && (joins(text[start-1]) || strings.ContainsRune(".,", rune(text[start-1]))) {
		return false
	}
	return end == len(text) || !joins(text[end])
}

// joins reports whether c connects the characters before and after it into one word.
func joins(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("_-:/", rune(c))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// turn is a set of changes that would lead to a better outcome, in words.
type turn struct {
	decisioning.Improvement
	Changes []string // such as "ask for ₹3,00,000 instead of ₹5,00,000"
	Then    string   // the offer, such as "₹3,00,000 over 36 months, ₹10,254 a month at 14 %"; "" if there is none
}

// Turns returns the changes that would improve the outcome, nearest first.
func (t *shownDecision) Turns() []turn {
	var list []turn
	for _, i := range t.Story.Improvements {
		shown := turn{Improvement: i}
		for at, c := range i.Changes {
			text := changeText(c)
			if at > 0 { // the text follows "and"
				text = lowerFirst(text)
			}
			shown.Changes = append(shown.Changes, text)
		}
		if i.LimitPaise > 0 {
			shown.Then = paise(i.LimitPaise) + " over " + strconv.Itoa(i.TenureMonths) + " months, " +
				paise(i.InstalmentPaise) + " a month at " + t.Percent(i.RateBP)
		}
		list = append(list, shown)
	}
	return list
}

// changeText returns a text about what has to change.
func changeText(c decisioning.ImprovementChange) string {
	to := c.FieldValue
	to.Value, to.Given = c.To, true
	from, wanted, label := fieldText(c.FieldValue), fieldText(to), fieldLabel(c.Name)
	switch {
	case c.PayOff != "":
		amount, _ := rupees(c.PayOff)
		return "Pay off obligations of " + amount + " a month, so that " + label + " falls from " + from + " to " +
			wanted
	case c.Name == requestedAmount && c.Given:
		return "Ask for " + wanted + " instead of " + from
	case c.Name == requestedMonths && c.Given:
		return "Ask for " + wanted + " instead of " + from
	case c.Name == requestedMonths:
		return "Ask for " + wanted
	case c.Waiting:
		return "Wait until " + lowerFirst(label) + " falls from " + from + " to " + wanted
	case !c.Given:
		return "Give " + lowerFirst(label) + ": " + wanted
	}
	return label + ": " + wanted + " instead of " + from
}

// lowerFirst returns a label for the middle of a sentence. It leaves initialisms as they are.
func lowerFirst(label string) string {
	if len(label) > 1 && label[0] >= 'A' && label[0] <= 'Z' && label[1] >= 'a' && label[1] <= 'z' {
		return string(label[0]-'A'+'a') + label[1:]
	}
	return label
}

// AskedFor returns the requested amount and term as a text, or "" if neither is known.
func (t *shownDecision) AskedFor() string {
	var amount, term string
	for _, f := range t.Story.Facts {
		switch {
		case f.Name == requestedAmount && f.Given:
			amount = fieldText(f.FieldValue)
		case f.Name == requestedMonths && f.Given:
			term = fieldText(f.FieldValue)
		}
	}
	if o := &t.Answer.Offer; amount == "" && o.HasRequested {
		amount = paise(o.RequestedPaise)
	}
	switch {
	case amount != "" && term != "":
		return amount + " over " + term
	case amount != "":
		return amount
	}
	return term
}
