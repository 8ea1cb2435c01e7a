package document

import (
	"cmp"
	"strings"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// ReadBacktest reads a backtest whose rows are in the body, or whose body names the rows.
// maxRows is the maximum number of rows that the service accepts. If the body has faults,
// the returned request contains the parts that could be read, so that the caller can
// still check the permissions for it.
func ReadBacktest(body wire.Value, maxRows int64, now time.Time) (study.BacktestRequest, error) {
	var r study.BacktestRequest
	var faults fault.List
	f := wire.NewForm(body, &faults)
	f.Known(BacktestMembers()...)
	r.Setup = backtest.ReadSetup(body, &faults)
	if err := readSource(&r, &f, &faults, maxRows, now); err != nil {
		return r, err
	}
	f.Done()
	missing := readOptions(&r, body, &faults)
	r.Check(&faults, maxRows, now)
	return r, cmp.Or(faults.Err(), missing)
}

// ReadBacktestOptions reads the options of a backtest whose rows arrive as a file. The
// caller adds the file.
func ReadBacktestOptions(options wire.Value) (study.BacktestRequest, error) {
	r := study.BacktestRequest{Streamed: encode(func(w *wire.Writer) { w.Value(options) })}
	var faults fault.List
	f := wire.NewForm(options, &faults)
	f.Known(BacktestMembers()...)
	r.Setup = backtest.ReadSetup(options, &faults)
	f.Done()
	missing := readOptions(&r, options, &faults)
	return r, cmp.Or(faults.Err(), missing)
}

// readSource reads the source of the rows. Exactly one of four members must name the
// source. readSource returns an error if the rows would make too large a table.
func readSource(r *study.BacktestRequest, f *wire.Form, faults *fault.List, maxRows int64, now time.Time) error {
	source := ""
	for _, name := range []string{"rows", "csv", "synthetic", "decisions"} {
		v := f.Get(name)
		if !v.Given() {
			continue
		}
		if source != "" {
			f.Fail(name, fault.CodeInvalidField, `give only one of "rows", "csv", "synthetic" and "decisions"`)
			return nil
		}
		switch source = name; name {
		case "rows":
			csv, err := rowsAsCSV(v, faults)
			if err != nil {
				return err
			}
			r.CSV, r.FromRows = strings.NewReader(csv), true
		case "csv":
			if v.Kind() != wire.String {
				f.Fail(name, fault.CodeWrongType, "must be the text of a CSV file")
			}
			r.CSV = strings.NewReader(v.Text())
		case "synthetic":
			form := wire.NewForm(v, faults)
			book := readBook(&form, maxRows)
			form.Done()
			r.Book = &book
		case "decisions":
			replay := readReplay(v, faults, now)
			r.Replay = &replay
		}
	}
	if source == "" {
		f.Fail("rows", fault.CodeRequired,
			`is required unless "csv", "synthetic" or "decisions" is sent; send exactly one of the four`)
	}
	return nil
}

// readOptions reads the policies of a backtest, and the run with which it is compared. It
// returns an error if one of these ids is empty.
func readOptions(r *study.BacktestRequest, body wire.Value, faults *fault.List) error {
	var err, missing error
	r.Policies, err = readPolicies(body, faults)
	r.ReferenceID, missing = readID(body, "reference_backtest_id", "backtest", faults)
	return cmp.Or(err, missing)
}

func readPolicies(body wire.Value, faults *fault.List) (p study.Policies, err error) {
	var ok bool
	if p.PolicyKey, ok = field.PolicyKeyOf(body); !ok {
		faults.Add("/policy_key", fault.CodeInvalidField, "%s", field.PolicyKeyText)
	}
	var champion, challenger error
	p.RuleSetID, champion = readID(body, "rule_set_id", "rule set", faults)
	p.ChallengerID, challenger = readID(body, "challenger_rule_set_id", "rule set", faults)
	return p, cmp.Or(champion, challenger)
}

// readID reads an id. It returns "" if the member is missing. An empty id is an error,
// because the member exists but names nothing.
func readID(body wire.Value, name, what string, faults *fault.List) (string, error) {
	v := body.Get(name)
	switch {
	case !v.Given():
		return "", nil
	case v.Kind() != wire.String:
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be the id of a %s, as a string", what)
		return "", nil
	case v.Text() == "":
		return "", study.MissingAt(v.Pointer(), fault.Missing(what))
	}
	return strings.Clone(v.Text()), nil
}

// readBook reads the description of a synthetic book. most is the maximum number of rows.
func readBook(f *wire.Form, most int64) study.Book {
	b := study.DefaultBook()
	readBookSize(f, &b, most)
	months, _ := f.Decimal("months", 0, backtest.MinMonths, backtest.MaxMonths)
	rate, _ := f.Decimal("bad_rate", rule.Places, int64(backtest.MinBadRate), int64(backtest.MaxBadRate))
	b.Months, b.BadRate = int(months), rule.Number(rate)
	return b
}

// readBookSize reads the number of rows and the seed of a book.
func readBookSize(f *wire.Form, b *study.Book, most int64) {
	if n, ok := f.Decimal("n", 0, 1, most); ok {
		b.Rows = n
	}
	if seed, ok := f.Decimal("seed", 0, 0, study.MaxSeed); ok {
		b.Seed = uint64(seed)
	}
}

// ReadBook reads a synthetic book from the parameters of a query. The faults name the
// parameters like members of a document: "/n" is the parameter n.
func ReadBook(parameters map[string]string) (study.BookRequest, error) {
	var w wire.Writer
	w.Object()
	for _, name := range BookPolicies() {
		if text := parameters[name]; text != "" {
			w.Key(name).String(text)
		}
	}
	for _, name := range BookMembers() {
		if text := parameters[name]; text != "" {
			WriteNumber(w.Key(name), text)
		}
	}
	w.EndObject()
	options, err := wire.Parse(w.Buf)
	if err != nil {
		return study.BookRequest{}, err
	}

	var r study.BookRequest
	var faults fault.List
	f := wire.NewForm(options, &faults)
	f.Known(BookPolicies()...)
	r.Book = readBook(&f, study.MaxBookRows)
	f.Done()
	var missing error
	r.Policies, missing = readPolicies(options, &faults)
	r.Check(&faults)
	return r, cmp.Or(faults.Err(), missing)
}

// BookPolicies returns the parameters of a book that name policies.
func BookPolicies() []string { return []string{"rule_set_id", "challenger_rule_set_id", "policy_key"} }

// BookMembers returns the parameters that describe a book.
func BookMembers() []string { return []string{"n", "seed", "months", "bad_rate"} }

// readReplay reads which stored decisions a request wants to replay.
func readReplay(v wire.Value, faults *fault.List, now time.Time) study.Replay {
	f := wire.NewForm(v, faults)
	r := study.Replay{From: readBound(&f, "from"), To: readBound(&f, "to")}
	f.Require("from", "the time of the first decision, such as 2026-11-01T00:00:00Z")
	if !r.From.IsZero() && r.Empty(now) {
		f.Fail("from", fault.CodeOutOfRange, "must be before \"to\", and in the past")
	}
	if key, ok := f.Text("policy_key", operation.MaxNote); ok {
		if r.PolicyKey = strings.Clone(key); !field.IsPolicyKey(key) {
			f.Fail("policy_key", fault.CodeInvalidField, "%s", field.PolicyKeyText)
		}
	}
	statuses := study.ReplayStatuses()
	if i := f.Choice("status", -1, statuses...); i >= 0 {
		r.Status = statuses[i]
	}
	f.Done()
	return r
}

// readBound reads a bound of a time range. It returns the zero time if the member is missing or invalid.
func readBound(f *wire.Form, name string) time.Time {
	text, ok := f.Text(name, operation.MaxNote)
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		f.Fail(name, fault.CodeInvalidField, "must be an RFC 3339 time such as 2026-11-15T00:00:00Z")
		return time.Time{}
	}
	return t.UTC()
}
