package generate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	mathbits "math/bits"
	"slices"
	"strings"
	"time"

	"verdict/internal/engine"
	"verdict/internal/policytest"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// File is one generated case, as a txtar file.
type File struct {
	Name string
	Data []byte
}

// Goal is a goal that no case of the set reaches, with the reason.
type Goal struct {
	Text, Why string
}

// Set is the result of Generate.
type Set struct {
	Files     []File
	Goals     int    // number of goals
	Unreached []Goal // those that no file reaches
	Tries     int    // number of applications that were decided
}

// Generate returns a small set of cases that covers a policy. The same policy gives
// the same bytes. The only error is that the policy is too large.
func Generate(p *engine.Policy) (*Set, error) {
	coverage, err := NewCoverage(p)
	if err != nil {
		return nil, err
	}
	s := newSearch(coverage)
	s.run()
	return s.set()
}

// set selects the cases from the applications that were found.
func (s *search) set() (*Set, error) {
	set := &Set{Goals: len(s.coverage.goals), Tries: s.tries}
	covered := make([]bool, len(s.coverage.goals))
	frequency := s.frequency()
	timed := false
	for i, at := range s.cover() {
		var added []int
		for g := range covered {
			if !covered[g] && s.pool[at].reached.has(g) {
				covered[g] = true
				added = append(added, g)
			}
		}
		slices.SortStableFunc(added, func(x, y int) int { return cmp.Compare(frequency[x], frequency[y]) })
		first := !timed && s.pool[at].offer && s.pool[at].request.supply == rule.FromDecisions
		timed = timed || first
		file, err := s.file(i+1, s.pool[at].candidate, added, first)
		if err != nil {
			return nil, err
		}
		set.Files = append(set.Files, file)
	}
	for g := range covered {
		if !covered[g] {
			set.Unreached = append(set.Unreached, Goal{s.coverage.goals[g].text, s.why(&s.coverage.goals[g])})
		}
	}
	return set, nil
}

// cover returns the indexes of applications that together reach every goal that was reached. It repeatedly takes
// the application that reaches the largest number of remaining goals. If several applications reach the same
// number, it takes the first of them.
func (s *search) cover() (list []int) {
	left := slices.Clone(s.covered)
	for {
		best, most := -1, 0
		for i := range s.pool {
			n := 0
			for k, word := range s.pool[i].reached {
				n += mathbits.OnesCount64(word & left[k])
			}
			if n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			return list
		}
		list = append(list, best)
		for k, word := range s.pool[best].reached {
			left[k] &^= word
		}
	}
}

// frequency returns, for each goal, how many applications reach it. The goals that
// few applications reach describe the purpose of a case best.
func (s *search) frequency() []int {
	count := make([]int, len(s.coverage.goals))
	for i := range s.pool {
		for g := range count {
			if s.pool[i].reached.has(g) {
				count[g]++
			}
		}
	}
	return count
}

// comment returns the comment of a case: the outcome, and the goals that no earlier case reaches, the rare ones
// first.
func (s *search) comment(decision wire.Value, goals []int) string {
	const most = 12
	var b strings.Builder
	fmt.Fprintf(&b, "%s, grade %s. Covers:\n", decision.Get("status").Text(), decision.Get("grade").Text())
	for i, g := range goals {
		if i == most {
			fmt.Fprintf(&b, "- and %d more\n", len(goals)-most)
			break
		}
		fmt.Fprintf(&b, "- %s\n", s.coverage.goals[g].text)
	}
	return b.String()
}

// why returns the reason why a goal was not reached.
func (s *search) why(g *goal) string {
	if why := s.unreachable(g); why != "" {
		return why
	}
	if g.about != nil && s.empty[g.text] {
		return "no application satisfies it"
	}
	return fmt.Sprintf("none of the %d applications that were tried shows it", s.tries)
}

// The parts that a generated case compares. Parts that a decision does not have are
// left out.
var compared = []string{
	"status", "grade", "score", "limit", "rate", "offer.tenure_months", "offer.emi", "offer.max_emi",
	"offer.binding_constraint", "offer.processing_fee", "offer.processing_fee_gst", "reasons", "hits", "conditions",
}

// compared lists the parts that the cases of a policy compare. A policy that has no segments, caps or charges has no
// parts for them.
func (c *Coverage) compared() []string {
	parts := slices.Clone(compared)
	if c.subject.Policy.HasSegments() {
		parts = append(parts, "offer.pricing_band_id")
	}
	if len(c.caps) > 0 {
		parts = append(parts, "offer.limit_cap_id")
	}
	if len(c.charges) > 0 {
		parts = append(parts, "offer.charges", "offer.net_disbursed")
	}
	return parts
}

// asOf is the time of the decision in the one case that also checks how long an offer
// is valid. The other cases have no time.
const asOf = "2026-01-05T10:00:00+05:30"

// file writes a case: a comment, the application, and what the policy decides today.
func (s *search) file(number int, c candidate, goals []int, timed bool) (f File, err error) {
	var body bytes.Buffer
	if err := json.Indent(&body, c.body(), "", "  "); err != nil {
		return f, fmt.Errorf("write an application: %w", err)
	}
	application, err := wire.Parse(body.Bytes())
	if err != nil {
		return f, err
	}
	var at time.Time
	if timed {
		if at, err = time.Parse(time.RFC3339, asOf); err != nil {
			return f, err
		}
	}
	stated := c.stated()
	answer, err := s.coverage.subject.Answer(application, at, stated...)
	if err != nil {
		return f, err
	}
	decision, err := wire.Parse(answer)
	if err != nil {
		return f, err
	}
	parts := s.coverage.compared()
	if clamped(decision) { // the score alone does not show the points
		for _, e := range decision.Get("explanation").Get("score_contributions").Elements() {
			parts = append(parts, "explanation.score_contributions."+e.Get("factor").Text()+".points")
		}
	}
	a := policytest.Archive{Comment: s.comment(decision, goals), Sections: []policytest.Section{
		{Name: policytest.ApplicationSection, Data: append(body.Bytes(), '\n')},
	}}
	if len(stated) > 0 {
		a.Sections = append(a.Sections,
			policytest.Section{Name: policytest.FactsSection, Data: policytest.Facts(stated)})
	}
	if timed {
		parts = append(parts, "offer.valid_until")
		a.Sections = append(a.Sections, policytest.Section{Name: policytest.AsOfSection, Data: []byte(asOf + "\n")})
	}
	a.Sections = append(a.Sections,
		policytest.Section{Name: policytest.ExpectSection, Data: policytest.Expect(decision, parts)})
	return File{Name: fmt.Sprintf("%03d-%s.txtar", number, slug(s.coverage.goals[goals[0]].text)), Data: a.Format()},
		nil
}

// clamped reports whether the score was cut to the range of the scorecard.
func clamped(decision wire.Value) bool {
	for _, e := range decision.Get("explanation").Get("score_contributions").Elements() {
		if e.Get("factor").Text() == "clamp" {
			return true
		}
	}
	return false
}

// slug returns the beginning of a goal as a part of a file name.
func slug(text string) string {
	const longest = 40
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		if b.Len() >= longest {
			break
		}
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
