package main

import (
	_ "embed" // embeds the sample application
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/loan"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

//go:embed sample.json
var sampleApplication []byte

const decideHelp = `Decide one application and print the decision as JSON, in the shape of a
preview: nothing is stored, so there is no decision_id and no created_at.
The same policy and the same application print the same bytes.

  verdict decide -sample
  verdict decide -input application.json
  verdict decide -policy policy.json -input - < application.json

  verdict decide -csv FILE -service URL [-api-key FILE] [-strict] [-text NAMES]
    [-ignore NAMES] [-key KEY] > results.ndjson
  verdict decide -batch ID -service URL [-api-key FILE] > results.ndjson

With -csv, a service decides and stores every row of the file, as a batch, and the
result of each row is printed as a line of JSON. Columns are named by the members of
a decision request: applicant.monthly_income, or only monthly_income for fields of the
applicant and of the bureau report; requested_tenure_months is the applicant's
tenure_months, as in a backtest. A blank cell is absent, and so are the usual
spellings of a missing value, such as NA, NULL, None and a dash. -text names further columns
whose cells are texts even if they look like numbers, such as applicant.pincode if your
policy declares it as a text. Columns that are no members of a request are left out and
named on standard error; if a name is probably misspelt, nothing is sent. -ignore names
columns to leave out in any case. The file may be compressed with gzip. -batch waits for a
batch that was started before. The key of the variable VERDICT_KEY, or of -api-key,
needs the scopes decide and read. Rows are decided several at a time and in any order,
also rows of the same applicant.

Within 24 hours the same command with the same file decides and bills nothing again: it
prints the results of the batch that the first one has started. So after an interruption
repeat the command. The service recognises the file by an Idempotency-Key that is
computed from its bytes, -text, -ignore and -strict. To decide the rows again, give another -key.
For standard input, the command makes a new key every time unless you give -key.

The input is a body of POST /v1/decisions or of POST /v1/evaluate. A DECLINED
decision is an answer, not a failure: the exit code is 0. With -csv and -batch the exit
code is 3 if some rows were not decided; their lines have "error" instead of
"decision_id". It is 1 if the batch was cancelled or failed.
` + lookupHelp + `An entry that has expired at the time of -as-of, or now, does not count.
`

// decideOptions holds the flags of the command.
type decideOptions struct {
	policy, input, asOf string
	sample, compact     bool
	files               lookupFiles
	batch               batchOptions
}

func (o *decideOptions) declare(fs *flag.FlagSet) {
	fs.StringVar(&o.policy, "policy", "", "policy `file`, - for standard input; default: the default policy")
	fs.StringVar(&o.input, "input", "", "application `file`, - for standard input")
	fs.BoolVar(&o.sample, "sample", false, "decide the built-in sample application")
	fs.StringVar(&o.asOf, "as-of", "",
		"RFC 3339 `time` of the decision: ages and windows are counted from its day, and the offer has a valid_until")
	fs.BoolVar(&o.compact, "compact", false, "print on one line")
	o.files.declare(fs)
	o.batch.remote = newRemoteFlags(fs)
	fs.StringVar(&o.batch.csv, "csv", "", "let a service decide every row of this CSV `file`, - for standard input")
	fs.StringVar(&o.batch.batch, "batch", "", "print the results of the batch with this `id`")
	fs.BoolVar(&o.batch.strict, "strict", false, "with -csv: refuse unknown columns, and rows with unknown members")
	fs.StringVar(&o.batch.key, "key", "", "with -csv: Idempotency-`Key` of the batch; default: computed from the file")
	fs.StringVar(&o.batch.ignore, "ignore", "", "with -csv: `names` of columns to leave out, separated by commas")
	fs.StringVar(&o.batch.texts, "text", "", "with -csv: `names` of columns that are texts, separated by commas")
}

// checkBatch returns an error if other flags contradict -csv or -batch, of which one is given.
func (o *decideOptions) checkBatch() error {
	if o.batch.csv != "" && o.batch.batch != "" || o.input != "" || o.sample || o.policy != "" || o.asOf != "" ||
		o.files.given() {
		return errors.New("-csv and -batch let the service decide: give one of them, and no -input, -sample, " +
			"-policy, -as-of, -list or -table")
	}
	return nil
}

// check returns an error if the flags for one application contradict each other. Otherwise it returns the time of
// -as-of, zero if -as-of is not given.
func (o *decideOptions) check() (asOf time.Time, err error) {
	switch {
	case o.batch.strict || o.batch.key != "" || o.batch.texts != "" || o.batch.ignore != "":
		return asOf, errors.New("-strict, -key, -text and -ignore belong to -csv")
	case o.input == "" && !o.sample:
		return asOf, errors.New("give -input or -sample for one application, or -csv or -batch with -service for many")
	case (o.input == "") != o.sample:
		return asOf, errors.New("give either -input or -sample")
	case o.policy == standardInput && o.input == standardInput:
		return asOf, errors.New("only one of -policy and -input can be standard input")
	case o.asOf == "":
		return asOf, nil
	}
	if asOf, err = time.Parse(time.RFC3339, o.asOf); err != nil {
		return asOf, errors.New("-as-of is not an RFC 3339 time such as 2026-11-15T09:30:00+05:30")
	}
	return asOf, nil
}

func decide(c *command) int {
	fs := c.flags(decideHelp)
	var o decideOptions
	o.declare(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if o.batch.csv != "" || o.batch.batch != "" {
		if err := o.checkBatch(); err != nil {
			return c.usage("%v", err)
		}
		return decideRows(c, &o.batch)
	}
	asOf, err := o.check()
	if err != nil {
		return c.usage("%v", err)
	}

	policy, code, ok := o.files.read(c, o.policy)
	if !ok {
		return code
	}
	o.files.noteMissing(c, policy)
	var today civil.Day
	if o.asOf != "" {
		today = civil.DayAt(asOf)
	}
	app, code, ok := c.application(o.input, policy, today)
	if !ok {
		return code
	}

	measure(app, policy)
	var d engine.Decision
	o.decide(app, engine.Compile(policy, field.Catalogue()), asOf, &d)
	env := engine.Envelope{
		Preview:       true,
		Facts:         app.Facts,
		TenurePointer: app.TenurePointer(),
		Warnings:      app.WarnAbsent(d.AbsentInputs()),
	}
	if o.asOf != "" {
		env.ValidUntil = loan.ValidUntil(asOf, policy.OfferValidityDays).Format(time.RFC3339)
	}
	var w wire.Writer
	d.Write(&w, &env)
	return c.printJSON(w.Buf, o.compact)
}

// measure adds the features that a policy reads to the facts of an application. It warns about features and bank
// figures that are absent.
func measure(app *application.Application, policy *engine.Policy) {
	named := application.Features(policy.FeatureNames())
	app.WarnNotMeasured(named)
	app.WarnBank(policy.AbsentBankFigures(app.Facts))
	if app.MeasuresFeatures {
		var vector feature.Vector
		app.Measure(application.CatalogueOf(policy.Semantics), named, &vector)
	}
}

// decide looks up the facts of an application in the given lists and tables, and stores the decision in d.
func (o *decideOptions) decide(app *application.Application, plan *engine.Plan, asOf time.Time, d *engine.Decision) {
	if plan.UsesOwn() { // earlier decisions are not known here, so the other facts about them stay absent
		person, id := app.Facts.Get("fraud.applicant_ref").Text(), app.ApplicantID
		named := app.ApplicantRef != "" || strings.TrimSpace(person) != "" || strings.TrimSpace(id) != ""
		app.Facts.Set(field.OwnReference, rule.Bool(named))
	}
	if o.files.given() {
		if o.asOf == "" {
			asOf = o.files.now
		}
		o.files.lookUp(plan.Lookups(), plan.Tables(), app.Facts, asOf)
	}
	plan.Decide(app.Facts, d)
	d.AddDerived(app.Facts)
}

// application reads an application from a file, or returns the sample if name
// is "".
func (c *command) application(
	name string, policy *engine.Policy, today civil.Day,
) (app *application.Application, code int, ok bool) {
	data, shown := sampleApplication, "the sample"
	if name != "" {
		var err error
		if data, err = c.read(name); err != nil {
			return nil, c.usage("%v", err), false
		}
		shown = name
	}
	v, err := wire.Parse(data)
	if err != nil && strings.EqualFold(filepath.Ext(name), ".csv") {
		err = fmt.Errorf("%w; -input is one application as JSON: for the rows of a CSV file use -csv with -service, "+
			"or \"verdict backtest\"", err)
	}
	if err != nil {
		return nil, c.refused(shown, err), false
	}
	app, err = application.Read(v, application.Options{
		Inputs:       policy.InputTypes(),
		FeaturesAuto: policy.FeaturesAuto,
		Today:        today,
		NoScore:      !policy.NeedsScore(),
	})
	if err != nil {
		return nil, c.refused(shown, err), false
	}
	return app, exitOK, true
}
