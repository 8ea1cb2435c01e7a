package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

func (f *fitFlags) register(fs *flag.FlagSet) {
	o := &f.options
	fs.StringVar(&f.csv, "csv", "", "`file` of rows, CSV with a header, gzip allowed")
	fs.StringVar(&o.Target, "target", "", "`column` of outcomes")
	fs.Func("bad", "`spellings` of a bad outcome, separated by commas; all others are then good", listFlag(&o.Bad))
	fs.Func("good", "`spellings` of a good outcome, separated by commas", listFlag(&o.Good))
	fs.Func("indeterminate", "`spellings` of an outcome that is neither good nor bad, in addition to indeterminate; "+
		"those rows are left out", listFlag(&o.Indeterminate))
	fs.StringVar(&o.Weight, "weight", "", "`column` of the weights of rows")
	fs.Func("map", "`column=field,…` for columns whose names differ from their fields", func(text string) error {
		o.Map = map[string]string{}
		for pair := range strings.SplitSeq(text, ",") {
			column, name, ok := strings.Cut(pair, "=")
			if !ok {
				return errors.New("must be column=field pairs, separated by commas")
			}
			o.Map[strings.TrimSpace(column)] = strings.TrimSpace(name)
		}
		return nil
	})
	fs.Func("exclude", "`columns` that must not be used, separated by commas", listFlag(&o.Exclude))
	fs.Func("include", "`columns` to use even if they look like an identifier or seem to contain the outcome, "+
		"separated by commas",
		listFlag(&o.Include))
	fs.Func("categorical", "`columns` whose numbers are categories, separated by commas", listFlag(&o.Categorical))
	fs.Func("foir", "`unit` of the column foir: ratio (0.35) or percent (35); default: ratio", func(text string) error {
		if text != "ratio" && text != "percent" {
			return errors.New("must be ratio or percent")
		}
		o.PercentFOIR = text == "percent"
		return nil
	})
	fs.Func("missing", "`spellings` of a missing value, separated by commas, in addition to the empty cell and, in "+
		"columns of numbers, NA, NaN, N/A, null, - and similar", listFlag(&o.Missing))
	fs.Func("special", "`numbers` that are codes and not quantities, such as -1 for \"never had a loan\", separated "+
		"by commas; each gets a bin of its own", func(text string) error {
		for part := range strings.SplitSeq(text, ",") {
			n, err := parseNumber(part)
			if err != nil {
				return err
			}
			o.Special = append(o.Special, n)
		}
		return nil
	})
	fs.Func("split", "`column=value` of the rows that are held out", func(text string) (err error) {
		var ok bool
		if o.SplitColumn, o.SplitValue, ok = strings.Cut(text, "="); !ok {
			err = errors.New("must be column=value")
		}
		return err
	})
	fs.StringVar(&f.splitFile, "split-file", "",
		"`file` with a column \"split\" that says \"train\" or \"test\" for every row")
	decimalFlag(fs, &o.HoldOutShare, "holdout",
		"`share` of the rows to hold out if neither -split nor -split-file is given")
	fs.Int64Var(&o.Seed, "seed", o.Seed, "`number` that seeds the choice of held-out rows")
	fs.IntVar(&o.MaxBins, "max-bins", o.MaxBins, "maximum number of ordinary bins of a column")
	decimalFlag(fs, &o.MinShare, "min-share", "minimum `share` of the rows in an ordinary bin")
	fs.BoolVar(&o.MonotoneOnly, "monotone-only", false, "allow only bins whose bad rates always rise or always fall")
	fs.IntVar(&o.MaxFeatures, "max-features", o.MaxFeatures, "maximum number of columns of the card")
	decimalFlag(fs, &o.MinIV, "min-iv", "minimum information `value` of a column")
	decimalFlag(fs, &o.MaxCorrelation, "max-correlation", "maximum correlation of two columns")
	fs.BoolVar(&o.NoRefining, "no-refining", false, "skip refining: points are a multiple of the weight of evidence")
	decimalFlag(fs, &o.PDO, "pdo", "`points` that double the odds")
	decimalFlag(fs, &o.AnchorScore, "anchor", "`score` at which the odds are those of -odds")
	decimalFlag(fs, &o.AnchorOdds, "odds", "`odds` of good to bad at the score of -anchor")
	fs.IntVar(&o.Decimals, "decimals", 0, "decimals of points")
	fs.BoolVar(&o.SpreadBase, "spread-base", false, "divide the base points among the factors")
	fs.StringVar(&o.Name, "name", "", "`name` of the scorecard; default: the name of the file")
	fs.StringVar(&f.out, "out", "", "`file` to write the scorecard to")
	fs.StringVar(&f.report, "report", "", "`file` to write the report to, as JSON")
	fs.BoolVar(&f.asJSON, "json", false, "print scorecard, inputs and report as JSON")
}

func listFlag(into *[]string) func(string) error {
	return func(text string) error {
		for part := range strings.SplitSeq(text, ",") {
			*into = append(*into, strings.TrimSpace(part))
		}
		return nil
	}
}

func parseNumber(text string) (rule.Number, error) {
	v, err := wire.Parse([]byte(strings.TrimSpace(text)))
	if err == nil && v.Kind() == wire.Number {
		if n, exact, ok := rule.ParseNumber(v.Text()); exact && ok {
			return n, nil
		}
	}
	return 0, errors.New("must be a number with at most six decimals")
}

func decimalFlag(fs *flag.FlagSet, into *rule.Number, name, usage string) {
	fs.Func(name, fmt.Sprintf("%s (default %s)", usage, *into), func(text string) (err error) {
		*into, err = parseNumber(text)
		return err
	})
}
