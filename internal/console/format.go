package console

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"verdict/internal/chart"
	"verdict/internal/civil"
	"verdict/internal/wire"
)

// functions returns the functions that templates can call.
func functions(a *assets) template.FuncMap {
	return template.FuncMap{
		"asset":     a.link,
		"count":     count,
		"hours":     hoursOf,
		"rupees":    rupees,
		"paise":     paise,
		"moment":    moment,
		"until":     untilText,
		"instant":   instant,
		"short":     short,
		"field":     newField,
		"options":   options,
		"list":      func(items ...any) []any { return items },
		"dict":      dict,
		"figure":    chart.Figure,
		"badge":     badgeOf,
		"words":     words,
		"titled":    titled,
		"fieldName": fieldLabel,
		"amount":    amountText,
		"sentence":  sentence,
		"gradeTone": gradeTone,
		"zoneName":  func(zone string) string { name, _ := zoneTexts(zone); return name },
		"zoneText":  func(zone string) string { _, text := zoneTexts(zone); return text },
	}
}

// gradeTone returns the class of a grade: the letters A to E have one colour each on every page, and later letters have
// the colour of E.
func gradeTone(grade string) string {
	if grade == "" || grade[0] < 'A' || grade[0] > 'Z' {
		return ""
	}
	return "rank-" + string(min(grade[0], 'E')-'A'+'a')
}

// dict returns a map made of pairs of a name and a value, for a template piece that takes several
// values.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: the last name has no value")
	}
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, is := pairs[i].(string)
		if !is {
			return nil, fmt.Errorf("dict: name %v is not a string", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// count writes a whole number with Indian digit grouping: 12,34,567.
func count(n any) (string, error) {
	switch n := n.(type) {
	case int:
		return grouped(strconv.Itoa(n)), nil
	case int64:
		return grouped(strconv.FormatInt(n, 10)), nil
	case wire.Value:
		return grouped(n.Text()), nil
	}
	return "", fmt.Errorf("count: %T is not a whole number", n)
}

// hours writes a number of hours. It writes whole days as days.
func hours(n int64) string {
	unit := "hour"
	if n%24 == 0 && n > 0 {
		n, unit = n/24, "day"
	}
	if n != 1 {
		unit += "s"
	}
	return grouped(strconv.FormatInt(n, 10)) + " " + unit
}

// hoursOf calls hours with an int64 or a wire.Value, for templates.
func hoursOf(n any) (string, error) {
	switch n := n.(type) {
	case int64:
		return hours(n), nil
	case wire.Value:
		whole, err := strconv.ParseInt(n.Text(), 10, 64)
		return hours(whole), err
	}
	return "", fmt.Errorf("hours: %T is not a whole number", n)
}

// rupees formats a decimal number of rupees, such as "500000" as "₹5,00,000". It returns a dash
// if the amount is missing or is not a number.
func rupees(amount any) (string, error) {
	var text string
	switch amount := amount.(type) {
	case string:
		text = amount
	case int64:
		text = strconv.FormatInt(amount, 10)
	case wire.Value:
		text = amount.Text()
	default:
		return "", fmt.Errorf("rupees: %T is not an amount", amount)
	}
	if text == "" {
		return "–", nil
	}
	coef, _, ok := wire.ParseDecimal(text, 2)
	if !ok {
		return "–", nil
	}
	return paise(coef), nil
}

// paise writes an amount in paise as rupees. It leaves out the decimals of whole rupees.
func paise(amount int64) string {
	sign := ""
	if amount < 0 {
		sign, amount = "−", -amount
	}
	text := sign + "₹" + grouped(strconv.FormatInt(amount/100, 10))
	if rest := amount % 100; rest != 0 {
		text += fmt.Sprintf(".%02d", rest)
	}
	return text
}

// decimalText writes n times 10^-places as a decimal number.
func decimalText(n int64, places int) string { return string(wire.AppendDecimal(nil, n, places)) }

// grouped inserts commas in the Indian way: the last three digits, then groups of two.
func grouped(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "−", digits[1:]
	}
	if len(digits) <= 3 {
		return sign + digits
	}
	tail := digits[len(digits)-3:]
	for digits = digits[:len(digits)-3]; len(digits) > 2; digits = digits[:len(digits)-2] {
		tail = digits[len(digits)-2:] + "," + tail
	}
	return sign + digits + "," + tail
}

// stamp is the data of the piece "time". Day and Clock are in Indian time; the layout says so once for all times of a
// page.
type stamp struct{ Day, Clock, Exact string }

// moment reads a time.Time, a text in RFC 3339, or microseconds since 1970. It returns the zero stamp if the time is
// missing or cannot be read.
func moment(at any) (stamp, error) {
	var t time.Time
	switch at := at.(type) {
	case time.Time:
		t = at
	case int64:
		if at != 0 {
			t = time.UnixMicro(at)
		}
	case string:
		t, _ = time.Parse(time.RFC3339Nano, at)
	case wire.Value:
		t, _ = time.Parse(time.RFC3339Nano, at.Text())
	default:
		return stamp{}, fmt.Errorf("moment: %T is not a time", at)
	}
	if t.IsZero() {
		return stamp{}, nil
	}
	t = t.In(civil.India)
	return stamp{t.Format("2 Jan 2006"), t.Format("15:04:05"), t.Format(time.RFC3339)}, nil
}

// instant returns a time as plain text, or "never" if the time is missing.
func instant(at any) (string, error) {
	s, err := moment(at)
	if err != nil || s.Exact == "" {
		return "never", err
	}
	return s.Day + ", " + s.Clock, nil
}

// untilText returns the time at which something ends: the last day, if that day ends then in India.
func untilText(micros int64) string {
	at := time.UnixMicro(micros).In(civil.India)
	if day := at.AddDate(0, 0, -1); at.Hour()+at.Minute()+at.Second() == 0 {
		return "the end of " + day.Format("2 Jan 2006")
	}
	return at.Format("2 Jan 2006, 15:04:05")
}

// short returns an id as tables show it: its kind and its last characters, in which ids differ.
func short(id string) string {
	kind, rest, found := strings.Cut(id, "_")
	if !found || len(rest) <= 8 {
		return id
	}
	return kind + "_…" + rest[len(rest)-6:]
}

// words makes an identifier such as "rule_set.activated" or "HIGH_RISK" readable.
func words(name string) string {
	return strings.NewReplacer("_", " ", ".", " · ").Replace(name)
}

// titled makes an identifier in capitals, such as "APPROVE_WITH_CHANGES", readable.
func titled(name string) string {
	text := words(name)
	if text == "" || text != strings.ToUpper(text) {
		return text
	}
	return text[:1] + strings.ToLower(text[1:])
}

// badge shows a state as text with a colour and a sign. The sign is for people who cannot see the
// colour.
type badge struct{ Tone, Sign, Text string }

var badges = map[string]badge{
	"APPROVED":     {"good", "✓", "Approved"},
	"REFERRED":     {"warn", "?", "Referred"},
	"DECLINED":     {"bad", "✕", "Declined"},
	"ELIGIBLE":     {"good", "✓", "Eligible"},
	"NOT_ELIGIBLE": {"bad", "✕", "Not eligible"},

	"active":  {"good", "●", "Active"},
	"draft":   {"plain", "○", "Draft"},
	"retired": {"quiet", "–", "Retired"},

	"open":         {"warn", "!", "Open"},
	"acknowledged": {"info", "◐", "Acknowledged"},
	"closed":       {"quiet", "–", "Closed"},

	"queued":     {"plain", "○", "Queued"},
	"running":    {"info", "◐", "Running"},
	"receiving":  {"info", "◐", "Receiving"},
	"cancelling": {"warn", "◐", "Cancelling"},
	"succeeded":  {"good", "✓", "Succeeded"},
	"done":       {"good", "✓", "Done"},
	"completed":  {"good", "✓", "Completed"},
	"deferred":   {"warn", "◐", "Deferred"},
	"withdrawn":  {"quiet", "–", "Withdrawn"},
	"failed":     {"bad", "✕", "Failed"},
	"cancelled":  {"quiet", "–", "Cancelled"},

	"delivered": {"good", "✓", "Delivered"},
	"given_up":  {"bad", "✕", "Given up"},

	"revoked":  {"quiet", "✕", "Revoked"},
	"expired":  {"quiet", "–", "Expired"},
	"expiring": {"warn", "!", "Expiring"},
	"disabled": {"quiet", "–", "Disabled"},
	"enabled":  {"good", "●", "Enabled"},
	"paused":   {"warn", "–", "Paused"},
	"pending":  {"info", "○", "Pending"},
	"accepted": {"good", "✓", "Accepted"},

	"low":      {"plain", "–", "Low"},
	"medium":   {"warn", "!", "Medium"},
	"high":     {"bad", "‼", "High"},
	"critical": {"bad", "‼", "Critical"},
	"blocked":  {"bad", "■", "Blocked"},

	"sandbox": {"plain", "○", "Sandbox"},
	"live":    {"live", "●", "LIVE"},
}

// badgeOf returns the badge of a state. The state may be in upper or lower case.
func badgeOf(state string) badge {
	for _, spelt := range []string{state, strings.ToUpper(state), strings.ToLower(state)} {
		if b, known := badges[spelt]; known {
			return b
		}
	}
	return badge{"plain", "·", words(state)}
}
