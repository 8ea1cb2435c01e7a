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

// functions are what templates can call, besides the methods of the view.
func functions(a *assets) template.FuncMap {
	return template.FuncMap{
		"asset":    a.link,
		"count":    count,
		"hours":    hoursOf,
		"rupees":   rupees,
		"paise":    paise,
		"moment":   moment,
		"instant":  instant,
		"short":    short,
		"field":    newField,
		"options":  options,
		"list":     func(items ...any) []any { return items },
		"dict":     dict,
		"figure":   chart.Figure,
		"badge":    badgeOf,
		"words":    words,
		"sentence": sentence,
	}
}

// dict makes a map for a piece that needs more than one thing.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: a name without a value")
	}
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, is := pairs[i].(string)
		if !is {
			return nil, fmt.Errorf("dict: a name that is no text")
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// count groups a whole number as in India: 12,34,567.
func count(n any) (string, error) {
	switch n := n.(type) {
	case int:
		return grouped(strconv.Itoa(n)), nil
	case int64:
		return grouped(strconv.FormatInt(n, 10)), nil
	case wire.Value:
		return grouped(n.Text()), nil
	}
	return "", fmt.Errorf("count: %T is no whole number", n)
}

// hours writes a length of time in days where it is whole days, else in hours.
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

// hoursOf is hours for templates.
func hoursOf(n any) (string, error) {
	switch n := n.(type) {
	case int64:
		return hours(n), nil
	case wire.Value:
		whole, err := strconv.ParseInt(n.Text(), 10, 64)
		return hours(whole), err
	}
	return "", fmt.Errorf("hours: %T is no whole number", n)
}

// rupees writes an amount in rupees, given as JSON has it: ₹5,00,000 or
// ₹1,234.50. What is not there is a dash.
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
		return "", fmt.Errorf("rupees: %T is no amount", amount)
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

// paise writes an amount that is counted in paise; whole rupees without them.
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

// decimalText writes a number that is counted in units of its last decimal.
func decimalText(n int64, places int) string { return string(wire.AppendDecimal(nil, n, places)) }

// grouped puts commas the Indian way: three digits, then two and two.
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

// stamp is a moment for the piece "time": for people, for machines.
type stamp struct{ Day, Clock, Offset, Exact string }

// moment reads a time of any form that use cases have: a time, the text of an
// answer, microseconds. A time that never was is the zero stamp.
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
		return stamp{}, fmt.Errorf("moment: %T is no time", at)
	}
	if t.IsZero() {
		return stamp{}, nil
	}
	t = t.In(civil.India)
	return stamp{t.Format("2 Jan 2006"), t.Format("15:04:05"), t.Format("-07:00"), t.Format(time.RFC3339)}, nil
}

// instant is a moment as plain text.
func instant(at any) (string, error) {
	s, err := moment(at)
	if err != nil || s.Exact == "" {
		return "never", err
	}
	return s.Day + ", " + s.Clock + " " + s.Offset, nil
}

// short is an id as it stands in a table: its kind and its last characters,
// which are the ones that differ.
func short(id string) string {
	kind, rest, found := strings.Cut(id, "_")
	if !found || len(rest) <= 8 {
		return id
	}
	return kind + "_…" + rest[len(rest)-6:]
}

// words makes a name of ours readable: rule_set.activated, HIGH_RISK.
func words(name string) string {
	return strings.NewReplacer("_", " ", ".", " · ").Replace(name)
}

// badge is a state as text with a colour and a sign, because not everybody
// sees the colour.
type badge struct{ Tone, Sign, Text string }

var badges = map[string]badge{
	"APPROVED": {"good", "✓", "Approved"}, "REFERRED": {"warn", "?", "Referred"}, "DECLINED": {"bad", "✕", "Declined"},
	"ELIGIBLE": {"good", "✓", "Eligible"}, "NOT_ELIGIBLE": {"bad", "✕", "Not eligible"},
	"active": {"good", "●", "Active"}, "draft": {"plain", "○", "Draft"}, "retired": {"quiet", "–", "Retired"},
	"open": {"warn", "!", "Open"}, "acknowledged": {"info", "◐", "Acknowledged"}, "closed": {"quiet", "–", "Closed"},
	"queued": {"plain", "○", "Queued"}, "running": {"info", "◐", "Running"}, "succeeded": {"good", "✓", "Succeeded"},
	"done": {"good", "✓", "Done"}, "failed": {"bad", "✕", "Failed"}, "cancelled": {"quiet", "–", "Cancelled"},
	"revoked": {"quiet", "✕", "Revoked"}, "expired": {"quiet", "–", "Expired"}, "expiring": {"warn", "!", "Expiring"},
	"disabled": {"quiet", "–", "Disabled"}, "pending": {"info", "○", "Pending"}, "accepted": {"good", "✓", "Accepted"},
	"low": {"plain", "–", "Low"}, "medium": {"warn", "!", "Medium"}, "high": {"bad", "‼", "High"}, "critical": {"bad", "‼", "Critical"}, "blocked": {"bad", "■", "Blocked"},
	"sandbox": {"plain", "○", "Sandbox"}, "live": {"live", "●", "LIVE"},
}

// badgeOf finds the badge of a state, however it is spelt.
func badgeOf(state string) badge {
	for _, spelt := range []string{state, strings.ToUpper(state), strings.ToLower(state)} {
		if b, known := badges[spelt]; known {
			return b
		}
	}
	return badge{"plain", "·", words(state)}
}
