package main

import (
	_ "embed" // embeds the sample application
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

  verdict decide -csv FILE -service URL [-api-key FILE] [-strict] [-text NAMES] [-key KEY]
    > results.ndjson
  verdict decide -batch ID -service URL [-api-key FILE] > results.ndjson

With -csv, a service decides and stores every row of the file, as a batch, and the
result of each row is printed as a line of JSON. Columns are named by the members of
a decision request: applicant.monthly_income, or only monthly_income for fields of the
applicant and of the bureau report; requested_tenure_months is the applicant's
tenure_months, as in a backtest. A blank cell is absent, and so are the usual
spellings of a missing value, such as NA, NULL, None and a dash. -text names further columns
whose cells are texts even if they look like numbers, such as applicant.pincode if your
policy declares it as a text. The file may be compressed with gzip. -batch waits for a
batch that was started before. The key of the variable VERDICT_KEY, or of -api-key,
needs the scopes decide and read. Rows are decided several at a time and in any order,
also rows of the same applicant.

Within 24 hours the same command with the same file decides and bills nothing again: it
prints the results of the batch that the first one has started. So after an interruption
repeat the command. The service recognises the file by an Idempotency-Key that is
computed from its bytes, -text and -strict. To decide the rows again, give another -key.
For standard input, the command makes a new key every time unless you give -key.

The input is a body of POST /v1/decisions or of POST /v1/evaluate. A DECLINED
decision is an answer, not a failure: the exit code is 0. With -csv and -batch the exit
code is 3 if some rows were not decided; their lines have "error" instead of
"decision_id". It is 1 if the batch was cancelled or failed.
` + lookupHelp + `An entry that has expired at the time of -as-of, or now, does not count.
`

func decide(c *command) int {
	fs := c.flags(decideHelp)
	policyFile := fs.String("policy", "", "policy `file`, - for standard input; default: the default policy")
	inputFile := fs.String("input", "", "application `file`, - for standard input")
	sample := fs.Bool("sample", false, "decide the built-in sample application")
	asOf := fs.String("as-of", "",
		"RFC 3339 `time` of the decision: ages and windows are counted from its day, and the offer has a valid_until")
	compact := fs.Bool("compact", false, "print on one line")
	var files lookupFiles
	files.declare(fs)
	batch := batchOptions{remote: newRemoteFlags(fs)}
	fs.StringVar(&batch.csv, "csv", "", "let a service decide every row of this CSV `file`, - for standard input")
	fs.StringVar(&batch.batch, "batch", "", "print the results of the batch with this `id`")
	fs.BoolVar(&batch.strict, "strict", false, "with -csv: refuse unknown columns, and rows with unknown members")
	fs.StringVar(&batch.key, "key", "", "with -csv: Idempotency-`Key` of the batch; default: computed from the file")
	fs.StringVar(&batch.texts, "text", "", "with -csv: `names` of columns that are texts, separated by commas")
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if batch.csv != "" || batch.batch != "" {
		if batch.csv != "" && batch.batch != "" || *inputFile != "" || *sample || *policyFile != "" || *asOf != "" ||
			files.given() {
			return c.usage("-csv and -batch let the service decide: give one of them, and no -input, -sample, " +
				"-policy, -as-of, -list or -table")
		}
		return decideRows(c, &batch)
	}
	if batch.strict || batch.key != "" || batch.texts != "" {
		return c.usage("-strict, -key and -text belong to -csv")
	}
	if (*inputFile == "") != *sample {
		return c.usage("give either -input or -sample")
	}
	if *policyFile == standardInput && *inputFile == standardInput {
		return c.usage("only one of -policy and -input can be standard input")
	}
	var at time.Time
	if *asOf != "" {
		var err error
		if at, err = time.Parse(time.RFC3339, *asOf); err != nil {
			return c.usage("-as-of is not an RFC 3339 time such as 2026-11-15T09:30:00+05:30")
		}
	}
	if code, ok := files.readTables(c); !ok {
		return code
	}
	policy, code, ok := files.policy(c, *policyFile)
	if !ok {
		return code
	}
	if code, ok := files.complete(c, policy); !ok {
		return code
	}
	files.noteMissing(c, policy)
	var today civil.Day
	if *asOf != "" {
		today = civil.DayAt(at)
	}
	app, code, ok := c.application(*inputFile, policy, today)
	if !ok {
		return code
	}
	named := application.Features(policy.FeatureNames())
	app.WarnNotMeasured(named)
	app.WarnBank(policy.AbsentBankFigures(app.Facts))
	if app.MeasuresFeatures {
		var vector feature.Vector
		app.Measure(application.CatalogueOf(policy.Semantics), named, &vector)
	}
	var d engine.Decision
	plan := engine.Compile(policy, field.Catalogue())
	if plan.UsesOwn() { // earlier decisions are not known here, so the other facts about them stay absent
		person, id := app.Facts.Get("fraud.applicant_ref").Text(), app.ApplicantID
		named := app.ApplicantRef != "" || strings.TrimSpace(person) != "" || strings.TrimSpace(id) != ""
		app.Facts.Set(field.OwnReference, rule.Bool(named))
	}
	if files.given() {
		if *asOf == "" {
			at = files.now
		}
		files.lookUp(plan.Lookups(), plan.Tables(), app.Facts, at)
	}
	plan.Decide(app.Facts, &d)
	d.AddDerived(app.Facts)
	env := engine.Envelope{
		Preview:       true,
		Facts:         app.Facts,
		TenurePointer: app.TenurePointer(),
		Warnings:      app.WarnAbsent(d.AbsentInputs()),
	}
	if *asOf != "" {
		env.ValidUntil = loan.ValidUntil(at, policy.OfferValidityDays).Format(time.RFC3339)
	}
	var w wire.Writer
	d.Write(&w, &env)
	return c.printJSON(w.Buf, *compact)
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
