package backtest

import (
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Setup says how the rows of a backtest are read and which assumptions its
// economics are based on.
type Setup struct {
	Header []string          // names of the columns; empty if the backtest decides facts instead of rows
	Map    map[string]string // column → field

	// The names of the columns that the backtest itself reads. If a name is "",
	// the column with the default name is used if there is one: "outcome" or
	// "bad", "weight", "actual_status", "applicant_id" or "applicant.id". The
	// protected and the month column have no default name.
	Outcome, Weight, Status, Protected, Month, ID string

	// Bad and Good list spellings of an outcome, compared without regard to case.
	// If both are empty, the default spellings apply. If only one is given, every
	// other text that is not blank means the opposite.
	Bad, Good []string

	PercentFOIR bool // whether the foir column is in percent

	// Encoding is the encoding of the file if it was not UTF-8. The caller sets
	// it; a request has no member for it.
	Encoding string

	// LGD is the share of a limit that is lost if the loan goes bad. FundingRate
	// is the lender's cost of money a year. 0 means the default.
	LGD, FundingRate rule.Number

	// Reference is the score distribution of another run, from
	// Distribution.Reference. It is nil if there is none.
	Reference []int64
}

// Defaults of the assumptions.
const (
	DefaultLGD         = rule.One * 65 / 100
	DefaultFundingRate = rule.One * 9 / 100
)

// SetupMembers returns the members of a request that ReadSetup reads.
func SetupMembers() []string {
	return []string{
		"map", "outcome_column", "bad_values", "good_values", "weight_column", "status_column", "protected_column",
		"month_column", "id_column", "foir_unit", "lgd", "funding_rate",
	}
}

// Bounds of a setup.
const (
	maxColumnName = 256
	maxMapped     = 1000
	maxSpellings  = 100
	maxSpelling   = 64
)

// ReadSetup reads the members of a request that SetupMembers names and
// ignores all others. It does not set the header.
func ReadSetup(v wire.Value, faults *fault.List) Setup {
	var s Setup
	if v.Kind() != wire.Object {
		return s
	}
	f := wire.NewForm(v, faults)
	for _, c := range s.columns() {
		*c.name, _ = f.Text(c.member, maxColumnName)
	}
	s.Bad = readSpellings(&f, "bad_values", faults)
	s.Good = readSpellings(&f, "good_values", faults)
	s.PercentFOIR = f.Choice("foir_unit", 0, "ratio", "percent") == 1
	s.LGD = readShare(&f, "lgd")
	s.FundingRate = readShare(&f, "funding_rate")
	s.Map = readMap(f.Get("map"), faults)
	return s
}

// column is one of the columns that the backtest itself reads.
type column struct {
	member string // member of the request that names the column
	name   *string
}

func (s *Setup) columns() []column {
	return []column{
		{"outcome_column", &s.Outcome}, {"weight_column", &s.Weight}, {"status_column", &s.Status},
		{"protected_column", &s.Protected}, {"month_column", &s.Month}, {"id_column", &s.ID},
	}
}

// readShare reads a share from 0.0001 to 1, with up to six decimals. Zero is not
// allowed, because in a Setup it means the default.
func readShare(f *wire.Form, name string) rule.Number {
	n, _ := f.Decimal(name, rule.Places, int64(rule.One/10_000), int64(rule.One))
	return rule.Number(n)
}

func readSpellings(f *wire.Form, name string, faults *fault.List) []string {
	var list []string
	for _, v := range f.Array(name, maxSpellings).Elements() {
		text := v.Text() // Text also returns the text of a number, so 1 and "1" are the same spelling
		switch {
		case v.Kind() == wire.Bool:
			text = strconv.FormatBool(v.IsTrue())
		case v.Kind() != wire.String && v.Kind() != wire.Number:
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be a string, a number or a boolean")
			continue
		case text == "" || len(text) > maxSpelling:
			faults.Add(v.Pointer(), fault.CodeOutOfRange,
				"must have 1 to %d bytes; a blank cell is an unknown outcome", maxSpelling)
			continue
		}
		list = append(list, text)
	}
	return list
}

func readMap(v wire.Value, faults *fault.List) map[string]string {
	switch {
	case !v.Given():
		return nil
	case v.Kind() != wire.Object:
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object of columns and fields")
		return nil
	case v.Len() > maxMapped:
		faults.Add(v.Pointer(), fault.CodeTooMany, "must have at most %d members", maxMapped)
		return nil
	}
	fields := make(map[string]string, v.Len())
	for name, member := range v.Members() {
		if member.Kind() != wire.String {
			faults.Add(member.Pointer(), fault.CodeWrongType, "must be the name of a field")
			continue
		}
		fields[name] = member.Text()
	}
	return fields
}
