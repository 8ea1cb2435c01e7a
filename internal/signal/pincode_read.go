package signal

import (
	"strconv"
	"time"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// MaxPincodeEntries is the maximum number of entries in one request.
const MaxPincodeEntries = 5000

// maxReason is the maximum length of an entry's reason, in bytes.
const maxReason = 256

// The texts of faults in the members of an entry.
const (
	pincodeMeaning = "six digits, or the first three or more of them"
	pincodeRule    = "must be six digits, or the first three or more of them, and not begin with 0"
	pincodeTwice   = "is in an earlier entry too"
	riskMeaning    = "LOW, MEDIUM, HIGH, BLOCKED, a number from 0 to 100, or null to remove the entry"
)

// CheckPincodeRisks adds the faults of entries to be set. It checks the same
// rules as ReadPincodeRisk.
func CheckPincodeRisks(faults *fault.List, entries []PincodeRisk) {
	if len(entries) > MaxPincodeEntries {
		faults.Add("/entries", fault.CodeTooMany, "has more than %d entries", MaxPincodeEntries)
		return
	}
	first := make(map[string]bool, len(entries))
	for i, e := range entries {
		c := faults.Check("/entries/" + strconv.Itoa(i))
		e.Check(c)
		if first[e.Pincode] {
			c.Fail("pincode", fault.CodeDuplicate, pincodeTwice)
		}
		first[e.Pincode] = true
	}
}

// Check adds the faults of one entry.
func (p PincodeRisk) Check(c fault.Check) {
	if c.Require("pincode", p.Pincode != "", pincodeMeaning) && !isPrefix(p.Pincode) {
		c.Fail("pincode", fault.CodeOutOfRange, pincodeRule)
	}
	if p.Remove {
		return
	}
	if p.Score < 0 || p.Score > maxRisk {
		c.Fail("risk_score", fault.CodeOutOfRange, "must lie between 0 and 100")
	} else if p.Score%rule.Paisa != 0 {
		c.Fail("risk_score", fault.CodeOutOfRange, "has more than 2 decimals")
	}
	if c.Require("risk", p.Risk != "", riskMeaning) {
		c.Choice("risk", string(p.Risk), riskNames...)
	}
	c.Text("reason", p.Reason, maxReason)
	if p.ExpiresMicros < 0 {
		c.Fail("expires_at", fault.CodeOutOfRange, "must be a time after 1970")
	}
}

// ReadPincodeRisk reads one entry, or several under "entries". If replace is true, the entries replace all existing
// entries; otherwise each entry is added, replaces the existing entry with its digits, or removes it. All faults are
// returned together as a *fault.Error that repeats no value; the caller must then change nothing.
func ReadPincodeRisk(v wire.Value) (entries []PincodeRisk, replace bool, err error) {
	var faults fault.List
	if !v.Get("entries").Given() && !v.Get("replace").Given() {
		entries = append(entries, readEntry(v, &faults))
	} else {
		entries, replace = readEntries(v, &faults)
	}
	if err := faults.Err(); err != nil {
		return nil, false, err
	}
	return entries, replace, nil
}

func readEntries(v wire.Value, faults *fault.List) (entries []PincodeRisk, replace bool) {
	f := wire.NewForm(v, faults)
	f.Require("entries", "the entries to set, or an empty list to remove all")
	list := f.Array("entries", MaxPincodeEntries)
	replace = f.Bool("replace", false)
	f.Done()
	first := make(map[string]bool, list.Len())
	for _, item := range list.Elements() {
		entry := readEntry(item, faults)
		if entry.Pincode != "" && first[entry.Pincode] {
			faults.Add(item.Pointer()+"/pincode", fault.CodeDuplicate, pincodeTwice)
		}
		first[entry.Pincode] = true
		entries = append(entries, entry)
	}
	return entries, replace
}

// readEntry reads one entry in the form that Write writes, so that an entry can
// be read and sent back.
func readEntry(v wire.Value, faults *fault.List) PincodeRisk {
	var p PincodeRisk
	f := wire.NewForm(v, faults)
	if f.Require("pincode", pincodeMeaning) {
		if digits, ok := f.Text("pincode", maxReason); ok && isPrefix(digits) {
			p.Pincode = digits
		} else if ok {
			f.Fail("pincode", fault.CodeOutOfRange, pincodeRule)
		}
	}
	f.Known("updated_at")
	readRisk(&f, &p)
	p.Reason, _ = f.Text("reason", maxReason)
	p.ExpiresMicros = readExpiry(&f)
	f.Done()
	if p.Remove {
		p = PincodeRisk{Pincode: p.Pincode, Remove: true}
	}
	return p
}

// readRisk reads a class, with or without a score, or only a score. A null risk
// removes the entry.
func readRisk(f *wire.Form, p *PincodeRisk) {
	score, scored := readScore(f, "risk_score")
	risk := f.Get("risk")
	switch {
	case risk.Kind() == wire.Number:
		if score, ok := readScore(f, "risk"); ok {
			p.Risk, p.Score = RiskOf(score), score
		}
	case risk.Given() && risk.Kind() != wire.String:
		f.Fail("risk", fault.CodeWrongType, "must be a class, a number or null, but is %s", risk.Kind())
	case risk.Given():
		if i := f.Choice("risk", -1, riskNames...); i >= 0 {
			p.Risk = Risk(riskNames[i])
			p.Score = p.Risk.Score()
			if scored {
				p.Score = score
			}
		}
	case isNull(f.Value(), "risk"):
		p.Remove = true
	case scored:
		p.Risk, p.Score = RiskOf(score), score
	default:
		f.Require("risk", riskMeaning)
	}
}

// readScore reads a score with at most two decimals.
func readScore(f *wire.Form, name string) (rule.Number, bool) {
	const places = 2
	n, ok := f.Decimal(name, places, 0, 100_00)
	return rule.Number(n) * rule.Paisa, ok
}

// isNull reports whether a member is present and null.
func isNull(v wire.Value, name string) bool {
	for member, value := range v.Members() {
		if member == name {
			return value.Kind() == wire.Null
		}
	}
	return false
}

// readExpiry reads the time when an entry expires, or 0 if it never expires. The time is truncated to milliseconds,
// the precision in which times are displayed.
func readExpiry(f *wire.Form) int64 {
	text, ok := f.Text("expires_at", maxReason)
	if !ok {
		return 0
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.UnixMilli() <= 0 {
		f.Fail("expires_at", fault.CodeOutOfRange, "must be an RFC 3339 time, such as 2027-01-31T18:30:00Z")
		return 0
	}
	return at.UnixMilli() * 1000
}
