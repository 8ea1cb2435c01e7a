package study

import (
	"strings"
	"testing"
	"time"

	"verdict/internal/fault"
)

// TestBacktestRequestsAreChecked checks the validation of requests that were not read
// from a document.
func TestBacktestRequestsAreChecked(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	book := func(change func(*Book)) *Book {
		b := DefaultBook()
		change(&b)
		return &b
	}
	for want, r := range map[string]BacktestRequest{
		"":                      {CSV: strings.NewReader("score\n1\n")},
		"/rows required":        {},
		"/rows required ":       {CSV: strings.NewReader(""), Book: book(func(*Book) {})},
		"/policy_key":           {CSV: strings.NewReader(""), Policies: Policies{PolicyKey: "-"}},
		"/synthetic/n":          {Book: book(func(b *Book) { b.Rows = 0 })},
		"/synthetic/n ":         {Book: book(func(b *Book) { b.Rows = 1001 })},
		"/synthetic/seed":       {Book: book(func(b *Book) { b.Seed = MaxSeed + 1 })},
		"/synthetic/months":     {Book: book(func(b *Book) { b.Months = 61 })},
		"/synthetic/bad_rate":   {Book: book(func(b *Book) { b.BadRate = 1 })},
		"/decisions/from":       {Replay: &Replay{}},
		"/decisions/from ":      {Replay: &Replay{From: now}},
		"/decisions/from  ":     {Replay: &Replay{From: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)}},
		"/decisions/to":         {Replay: &Replay{From: now.Add(-time.Hour), To: now.AddDate(8000, 0, 0)}},
		"/decisions/policy_key": {Replay: &Replay{From: now.Add(-time.Hour), PolicyKey: "A"}},
		"/decisions/status":     {Replay: &Replay{From: now.Add(-time.Hour), Status: "OPEN"}},
		" ":                     {Replay: &Replay{From: now.Add(-time.Hour), To: now.Add(time.Hour)}},
	} {
		var faults fault.List
		r.Check(&faults, 1000, now)
		pointer, code, _ := strings.Cut(strings.TrimSpace(want), " ")
		if pointer == "" {
			if faults.Len() > 0 {
				t.Errorf("%+v is refused: %v", r, faults.Err())
			}
			continue
		}
		if faults.Len() != 1 || faults.Items()[0].Pointer != pointer || code != "" && faults.Items()[0].Code != code {
			t.Errorf("%+v: %v, want %s", r, faults.Err(), want)
		}
	}
}
