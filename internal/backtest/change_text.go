package backtest

import (
	"strconv"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/wire"
)

// The functions below describe parts of a policy in words. knockoutText,
// adjustmentText and factorText return "" for nil.

func requiredText(p *engine.Policy) string {
	var list []string
	for _, r := range p.Required {
		list = append(list, r.Text)
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func knockoutText(k *engine.Knockout) string {
	if k == nil {
		return ""
	}
	text := k.Action.String() + " when " + k.Condition.Text()
	if k.OnAbsent != engine.PassWhenAbsent {
		text += ", " + k.OnAbsent.String() + " when absent"
	}
	if k.Stage == 2 {
		text += " (stage 2)"
	}
	return text
}

func adjustmentText(a *engine.Adjustment) string {
	if a == nil {
		return ""
	}
	return a.Delta.String() + " when " + a.Condition.Text()
}

func factorText(f *engine.Factor) string {
	if f == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(f.Field.Name)
	if f.When != nil {
		b.WriteString(" when " + f.When.Text())
	}
	for i := range f.Bins {
		b.WriteString("; " + binText(&f.Bins[i]) + ": " + f.Bins[i].Points.String())
	}
	if f.HasMissing {
		b.WriteString("; missing: " + f.Missing.String())
	}
	if f.Weight.String() != "1" {
		b.WriteString("; weight " + f.Weight.String())
	}
	return b.String()
}

// binText returns the range or the values of a bin.
func binText(b *engine.Bin) string {
	switch {
	case b.Else:
		return "else"
	case len(b.In) > 0:
		var list []string
		for _, v := range b.In {
			list = append(list, v.String())
		}
		return strings.Join(list, "|")
	case len(b.Special) > 0:
		var list []string
		for _, n := range b.Special {
			list = append(list, n.String())
		}
		return "special " + strings.Join(list, "|")
	case b.HasMin && b.HasMax:
		return "[" + b.Min.String() + ", " + b.Max.String() + ")"
	case b.HasMin:
		return ">= " + b.Min.String()
	case b.HasMax:
		return "< " + b.Max.String()
	}
	return "any"
}

func bandsText(list []engine.Band) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = bandText(&list[i])
	}
	return strings.Join(texts, "; ")
}

func bandText(b *engine.Band) string {
	text := b.Grade
	if b.NTC {
		text += " new to credit"
	}
	if b.Ranged {
		text += " " + strconv.FormatInt(b.MinScore, 10) + " to " + strconv.FormatInt(b.MaxScore, 10)
	}
	if b.When != nil {
		text += " if " + b.When.Text()
	}
	if b.Action != engine.Approve {
		text += ", " + b.Action.String()
	}
	if !b.Priced {
		return text
	}
	text += ", " + string(wire.AppendDecimal(nil, b.RateBP, 2)) + " % over " + strconv.Itoa(b.TenureMonths) +
		" months, " +
		rupees(b.MinLimitPaise) + " to " + rupees(b.MaxLimitPaise) + ", default " + rupees(b.DefaultLimitPaise) +
		", FOIR cap " + b.FOIRCap.String()
	if b.HasIncomeMultiple {
		text += ", " + b.IncomeMultiple.String() + " × income"
	}
	if b.FeePct != 0 || b.FeeMinPaise != 0 {
		text += ", fee " + b.FeePct.String() + " %, at least " + rupees(b.FeeMinPaise)
	}
	return text
}

// capText describes a limit cap. It returns "" for nil.
func capText(c *engine.LimitCap) string {
	if c == nil {
		return ""
	}
	return c.String()
}

func rupees(paise int64) string { return string(wire.AppendDecimal(nil, paise, 2)) }
