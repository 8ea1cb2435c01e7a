package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// columnOptions holds the flags that say what the columns of a file mean. They
// correspond to the members of the API's request and are parsed by the same
// code.
type columnOptions struct {
	outcome, bad, good, weight, status, protected, month, id string
	foir                                                     string
	lgd, funding                                             rule.Number // 0 if not given
	mapped                                                   []string
}

func (o *columnOptions) declare(fs *flag.FlagSet) {
	fs.StringVar(&o.outcome, "outcome", "", "`column` with the outcome of the loan; default: \"outcome\" or \"bad\"")
	fs.StringVar(&o.bad, "bad", "", "`values` of the outcome that mean bad, separated by commas")
	fs.StringVar(&o.good, "good", "", "`values` of the outcome that mean good; with -bad alone, all others mean good")
	fs.StringVar(&o.weight, "weight", "", "`column` with the number of applicants that a row represents")
	fs.StringVar(&o.status, "status", "", "`column` with the decision made at the time")
	fs.StringVar(&o.protected, "protected", "", "`column` of groups whose approval rates are compared")
	fs.StringVar(&o.month, "month", "", "`column` of the month on book in which a loan went bad")
	fs.StringVar(&o.id, "id", "", "`column` that identifies the applicant in the written rows; default: applicant_id")
	fs.StringVar(&o.foir, "foir", "", "`unit` of the column foir: ratio (0.35) or percent (35); default: ratio")
	fs.Func("lgd", "`share` of a bad loan that is lost; default: 0.65", ratioFlag(&o.lgd))
	fs.Func("funding-rate", "annual funding `rate` of the loans; default: 0.09", ratioFlag(&o.funding))
	fs.Func("map", "`column=field` pairs, separated by commas: the field that a column contains",
		func(text string) error {
			for pair := range strings.SplitSeq(text, ",") {
				if column, _, ok := strings.Cut(pair, "="); !ok || column == "" {
					return fmt.Errorf("%q is not column=field", pair)
				}
				o.mapped = append(o.mapped, pair)
			}
			return nil
		})
}

// ratioFlag parses a ratio such as 0.65. It refuses zero, because zero means
// "not given".
func ratioFlag(into *rule.Number) func(string) error {
	return func(text string) error {
		n, exact, ok := rule.ParseNumber(text)
		if !ok || !exact || n <= 0 || n > rule.One {
			return errors.New("must be a ratio above 0 and not above 1, with at most six decimals")
		}
		*into = n
		return nil
	}
}

func (o *columnOptions) given() bool {
	for _, text := range []string{o.outcome, o.bad, o.good, o.weight, o.status, o.protected, o.month, o.id, o.foir} {
		if text != "" {
			return true
		}
	}
	return len(o.mapped) > 0
}

// setup parses the options in the same way as the members of a request.
func (o *columnOptions) setup() (backtest.Setup, error) {
	v, err := wire.Parse(o.request())
	if err != nil {
		return backtest.Setup{}, err
	}
	var faults fault.List
	setup := backtest.ReadSetup(v, &faults)
	return setup, faults.Err()
}

func (o *columnOptions) request() []byte {
	var w wire.Writer
	w.Object()
	for _, member := range []struct{ name, text string }{
		{"outcome_column", o.outcome}, {"weight_column", o.weight}, {"status_column", o.status},
		{"protected_column", o.protected}, {"month_column", o.month}, {"id_column", o.id}, {"foir_unit", o.foir},
	} {
		if member.text != "" {
			w.Key(member.name).String(member.text)
		}
	}
	for _, list := range []struct{ name, text string }{{"bad_values", o.bad}, {"good_values", o.good}} {
		if list.text == "" {
			continue
		}
		w.Key(list.name).Array()
		for value := range strings.SplitSeq(list.text, ",") {
			w.String(value)
		}
		w.EndArray()
	}
	for _, number := range []struct {
		name  string
		value rule.Number
	}{{"lgd", o.lgd}, {"funding_rate", o.funding}} {
		if number.value != 0 {
			w.Key(number.name).Decimal(int64(number.value), rule.Places)
		}
	}
	if len(o.mapped) > 0 {
		w.Key("map").Object()
		for _, pair := range o.mapped {
			column, name, _ := strings.Cut(pair, "=")
			w.Name(column).String(name)
		}
		w.EndObject()
	}
	w.EndObject()
	return w.Buf
}
