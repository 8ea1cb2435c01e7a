package backtest

import (
	"cmp"
	"slices"
	"strings"
)

// Partial has the counts of some of the rows. It consists of integers and of
// lists of the n smallest elements, so merging partials in any order gives
// exactly the partial of all their rows.
type Partial struct {
	numbering         uint64 // Run.numbering of the run that made the partial; 0 for none
	evaluated, failed int64
	total             counts
	foirMost          int64 // greatest foir of a row, in millionths
	champion          sides
	vintage           vintages
	actual            [9]tally // index is 3 × the lender's status + the champion's status
	challenger        sides
	swap              swaps

	errors []RowError  // errors with the lowest row numbers, at most MaxRowErrors
	codes  []CodeCount // counts of all errors, by code
	groups groups

	read []cellRead // counts for warnings about how rows were read, sorted by field and code
}

// cellRead is a count for a warning. field is the name of a column, list or table. code says what is counted: cells
// that were not read literally, rows that were looked up, rows that could not be looked up, or rows without facts
// about earlier decisions.
type cellRead struct {
	field, code string
	count       int64
}

func compareReads(a, b cellRead) int {
	return cmp.Or(strings.Compare(a.field, b.field), strings.Compare(a.code, b.code))
}

func (p *Partial) noteRead(r cellRead) {
	i, found := slices.BinarySearchFunc(p.read, r, compareReads)
	if !found {
		p.read = slices.Insert(p.read, i, cellRead{r.field, r.code, 0})
	}
	p.read[i].count += r.count
}

// sides has the counts of one policy.
type sides struct {
	score   wide // Σ (score − base)·weight, in millionths
	grades  []gradeSum
	cells   cells
	reasons []reasonSum
	rules   []ruleSum // one for each knockout, then one for each adjustment
	soles   []soleSum // one for each knockout

	limitReferred, interest, fee, funding wide
	loss                                  wide // Σ limit·PD·weight, PD in millionths
}

// gradeSum has the counts of a grade by status, and the sums of limit, rate and
// APR over its approved rows.
type gradeSum struct {
	status           [3]counts
	limit, rate, apr wide
}

type reasonSum struct {
	status [3]int64
	first  int64
}

type ruleSum struct {
	hit     counts
	unknown int64
}

type soleSum struct {
	declines, soleDeclines, soleReferrals, first, overlap int64
	sole                                                  counts
}

// vintages counts approved bad rows by the month in which they went bad.
type vintages struct {
	last    int64 // the latest month that occurs in any row
	noMonth tally
	months  []tally // beginning with month 1
}

// swaps compares two policies on the same rows.
type swaps struct {
	matrix      [9]counts // index is 3 × champion's status + challenger's status
	limit       [3]int64  // rows that both policies approve, by the challenger's limit: lower, equal, higher
	price       [3]int64
	limitChange wide // limits of the challenger minus those of the champion
	rateChange  wide
	aprChange   wide
	together    [2]int64 // rows swapped in and out that no single change moves
	explained   [2]int64
	changeIn    []changeSum
	changeOut   []changeSum
}

type changeSum struct {
	alone  counts
	needed int64
}

// NewPartial returns a partial without rows.
func NewPartial() *Partial { return &Partial{} }

// Rows returns how many rows were evaluated and how many failed.
func (p *Partial) Rows() (evaluated, failed int64) { return p.evaluated, p.failed }

// FailedAs returns how many rows failed with a code.
func (p *Partial) FailedAs(code string) int64 {
	for _, c := range p.codes {
		if c.Code == code {
			return c.Count
		}
	}
	return 0
}

// fail counts a row that could not be evaluated.
func (p *Partial) fail(e RowError) {
	p.failed++
	p.noteError(e)
	p.noteCode(CodeCount{e.Code, 1})
}

// noteError keeps the MaxRowErrors errors with the lowest row numbers. An error that is among the lowest of all rows is
// also among the lowest of any subset of the rows that contains it, so merging partials loses none of these errors.
func (p *Partial) noteError(e RowError) {
	n := len(p.errors)
	if n == MaxRowErrors && compareErrors(e, p.errors[n-1]) >= 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(p.errors, e, compareErrors)
	p.errors = slices.Insert(p.errors, i, e)
	p.errors = p.errors[:min(len(p.errors), MaxRowErrors)]
}

func compareErrors(a, b RowError) int {
	return cmp.Or(cmp.Compare(a.Row, b.Row), strings.Compare(a.Field, b.Field), strings.Compare(a.Code, b.Code))
}

func (p *Partial) noteCode(c CodeCount) {
	i, found := slices.BinarySearchFunc(p.codes, c, func(a, b CodeCount) int { return strings.Compare(a.Code, b.Code) })
	if !found {
		p.codes = slices.Insert(p.codes, i, CodeCount{Code: c.Code})
	}
	p.codes[i].Count += c.Count
}

// Merge adds the counts of q to p. q is not changed.
func (p *Partial) Merge(q *Partial) {
	p.numbering = cmp.Or(p.numbering, q.numbering)
	tape := recorder{}
	q.walk(&tape)
	p.walk(&adder{tape: tape.tape})
	for _, e := range q.errors {
		p.noteError(e)
	}
	for _, c := range q.codes {
		p.noteCode(c)
	}
	for _, r := range q.read {
		p.noteRead(r)
	}
	p.groups.merge(&q.groups)
}
