package training

import (
	"bytes"
	"slices"
	"strings"

	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// survey is the first pass over the decoded rows. It counts the labelled rows, finds the type of each column, and
// samples the numbers that cutNumbers divides into cells.
type survey struct {
	plan    *plan
	columns []*surveyed
	kept    []uint64 // draws of the sampled rows; a draw is the hash of a row number
	limit   uint64   // rows with a draw below limit are sampled

	rows, noOutcome              int64
	indeterminate, withoutWeight int64
	train, held                  counts  // numbers of rows, not weighted
	weight                       float64 // total weight of the training rows
}

// surveyed holds the findings of the first pass about a column.
type surveyed struct {
	*source
	filled  int64
	texts   int64         // cells that are not numbers, or were not parsed because of isCategory
	outside int64         // numbers that the field cannot hold
	nothing int64         // cells that spell a missing number
	whole   bool          // every number was a whole number
	rises   bool          // every number was above the previous number
	falls   bool          // every number was below the previous number
	last    rule.Number   // the previous number; absentNumber before the first
	sample  []rule.Number // one number for each sampled row; absentNumber if the row has none
	by      map[string]*int64
	endless bool // more than maxCategories distinct values
	long    bool // a value is longer than a condition may contain

	filledAtEndless int64 // number of filled cells at the time when endless became true
}

const (
	absentNumber  = rule.Number(-1 << 62)
	sampleRows    = 1 << 17
	maxCategories = 1000
	maxText       = 256
)

func newSurvey(p *plan) *survey {
	s := &survey{plan: p, limit: 1 << 63}
	for _, c := range p.sources {
		s.columns = append(s.columns, &surveyed{
			source: c,
			whole:  true,
			rises:  true,
			falls:  true,
			last:   absentNumber,
			by:     map[string]*int64{},
		})
	}
	return s
}

// look counts one row. Only training rows affect what is recorded about columns.
func (s *survey) look(row int64, cells [][]byte) error {
	s.rows++
	what, weight, err := s.plan.label(row, cells)
	if err != nil {
		return err
	}
	var one counts
	switch {
	case what == sheet.NoOutcome:
		s.noOutcome++
		return nil
	case what == sheet.Indeterminate:
		s.indeterminate++
		return nil
	case weight == 0:
		s.withoutWeight++
		return nil
	case what == sheet.Good:
		one.good = 1
	default:
		one.bad = 1
	}
	if s.plan.holdOut(row, cells) {
		s.held = s.held.plus(one)
		return nil
	}
	s.train = s.train.plus(one)
	s.weight += weight
	draw := mix(uint64(row)) >> 1
	sampled := draw < s.limit
	if sampled {
		s.kept = append(s.kept, draw)
	}
	for _, c := range s.columns {
		c.look(c.read(s.plan.cell(cells[c.at])), sampled)
	}
	if len(s.kept) > sampleRows {
		s.thin()
	}
	return nil
}

// label reads the outcome and the weight of a row. It returns an error if the outcome has no known spelling. The
// callers leave out rows that are not labelled or whose weight is 0.
func (p *plan) label(row int64, cells [][]byte) (what sheet.Outcome, weight float64, err error) {
	what = p.spelling.read(cells[p.target])
	switch what {
	case sheet.UnknownOutcome:
		return what, 0, unspeltAt(row, cells[p.target])
	case sheet.Good, sheet.Bad:
		weight, err = p.weighed(row, cells)
	default:
	}
	return what, weight, err
}

func (s *surveyed) look(cell []byte, sampled bool) {
	n := absentNumber
	if cell != nil {
		s.filled++
		s.count(cell)
		if s.isCategory() {
			s.texts++
		} else {
			n = s.number(cell)
		}
	}
	if sampled {
		s.sample = append(s.sample, n)
	}
}

// number reads a cell as a number and counts it. It returns absentNumber if the cell is not a number, or if the
// field cannot hold the number.
func (s *surveyed) number(cell []byte) rule.Number {
	n, how := s.source.number(cell)
	switch {
	case how == noNumber:
		s.texts++
		return absentNumber
	case how == spelledMissing:
		s.nothing++
		return absentNumber
	case s.cannotBe(n):
		s.outside++
		return absentNumber
	}
	s.whole = s.whole && n%rule.One == 0
	s.rises, s.falls = s.rises && n > s.last, s.falls && (n < s.last || s.last == absentNumber)
	s.last = n
	return n
}

// isCategory reports whether so many cells are texts that parsing the remaining
// cells of the column as numbers would waste time.
func (s *surveyed) isCategory() bool { return s.texts > 100 && s.texts*20 > s.filled }

func (s *surveyed) count(cell []byte) {
	if s.endless {
		return
	}
	if n := s.by[string(cell)]; n != nil {
		*n++
		return
	}
	s.long = s.long || len(cell) > maxText
	if len(s.by) == maxCategories {
		s.by, s.endless, s.filledAtEndless = nil, true, s.filled
		return
	}
	first := int64(1)
	s.by[string(cell)] = &first
}

// thin removes the half of the sample with the larger draws. Which rows remain
// depends only on the draws, not on the order of the rows.
func (s *survey) thin() {
	s.limit /= 2
	for _, c := range s.columns {
		n := 0
		for i, draw := range s.kept {
			if draw < s.limit {
				c.sample[n] = c.sample[i]
				n++
			}
		}
		c.sample = c.sample[:n]
	}
	s.kept = slices.DeleteFunc(s.kept, func(draw uint64) bool { return draw >= s.limit })
}

// mix hashes a row number, so that rows with small hashes are a fair sample.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// cell returns a cell without surrounding spaces, or nil if the cell is empty or
// spells a missing value.
func (p *plan) cell(cell []byte) []byte {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 || len(p.nothing) > 0 && p.nothing[strings.ToLower(string(cell))] {
		return nil
	}
	return cell
}
