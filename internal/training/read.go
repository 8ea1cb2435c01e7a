package training

import (
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Bounds of the lists in a request.
const (
	maxListedColumns = 1000
	maxSpellings     = 100
)

// ReadOptions reads the options of a fit from a request. The caller reads the
// other members of the request. Fit checks whether the options are valid
// together.
func ReadOptions(f *wire.Form) Options {
	o := Defaults()
	o.Name, _ = f.Text("name", 120)
	f.Require("target", "the column of outcomes")
	o.Target, _ = f.Text("target", maxText)
	o.Bad, o.Good = texts(f, "bad_values", maxSpellings), texts(f, "good_values", maxSpellings)
	o.Indeterminate = texts(f, "indeterminate_values", maxSpellings)
	o.Weight, _ = f.Text("weight", maxText)
	o.Map = textMap(f, "map")
	o.Exclude, o.Categorical = texts(f, "exclude", maxListedColumns), texts(f, "categorical", maxListedColumns)
	o.Include = texts(f, "include", maxListedColumns)
	o.PercentFOIR = f.Choice("foir_unit", 0, "ratio", "percent") == 1
	o.Missing = texts(f, "missing_values", maxSpellings)
	for _, v := range f.Array("special_values", maxSpecials).Elements() {
		n, exact, ok := rule.ParseNumber(v.Text())
		if v.Kind() != wire.Number || !ok || !exact {
			f.Fail("special_values", fault.CodeWrongType, "must be numbers with at most six decimals")
			break
		}
		o.Special = append(o.Special, n)
	}
	o.SplitColumn, _ = f.Text("split_column", maxText)
	o.SplitValue, _ = f.Text("split_value", maxText)
	decimal(f, "holdout_share", &o.HoldOutShare)
	if n, ok := f.Decimal("seed", 0, 0, 1<<52); ok {
		o.Seed = n
	}
	integer(f, "max_bins", &o.MaxBins)
	decimal(f, "min_share", &o.MinShare)
	o.MonotoneOnly = f.Bool("monotone_only", false)
	integer(f, "max_features", &o.MaxFeatures)
	decimal(f, "min_iv", &o.MinIV)
	decimal(f, "max_correlation", &o.MaxCorrelation)
	o.NoRefining = !f.Bool("refine", true)
	decimal(f, "pdo", &o.PDO)
	decimal(f, "anchor_score", &o.AnchorScore)
	decimal(f, "anchor_odds", &o.AnchorOdds)
	integer(f, "decimals", &o.Decimals)
	o.SpreadBase = f.Bool("spread_base", false)
	return o
}

func decimal(f *wire.Form, name string, into *rule.Number) {
	const unit = rule.One / 10_000
	if n, ok := f.Decimal(name, 4, -1_000_000*10_000, 1_000_000*10_000); ok {
		*into = rule.Number(n) * unit
	}
}

func integer(f *wire.Form, name string, into *int) {
	if n, ok := f.Decimal(name, 0, 0, 1000); ok {
		*into = int(n)
	}
}

func texts(f *wire.Form, name string, most int) (list []string) {
	for _, v := range f.Array(name, most).Elements() {
		switch v.Kind() {
		case wire.String, wire.Number:
			list = append(list, v.Text())
		case wire.Bool:
			text := "false"
			if v.IsTrue() {
				text = "true"
			}
			list = append(list, text)
		default:
			f.Fail(name, fault.CodeWrongType, "must be a list of texts or numbers")
			return nil
		}
	}
	return list
}

func textMap(f *wire.Form, name string) map[string]string {
	v := f.Get(name)
	if !v.Given() {
		return nil
	}
	out := map[string]string{}
	for column, target := range v.Members() {
		if target.Kind() != wire.String {
			f.Fail(name, fault.CodeWrongType, "must be an object of columns and field names")
			return nil
		}
		out[column] = target.Text()
	}
	if v.Kind() != wire.Object || len(out) > maxListedColumns {
		f.Fail(name, fault.CodeWrongType, "must be an object of at most %d columns and field names", maxListedColumns)
	}
	return out
}
