package main

// The grades of policy.json, and the number of its rules.
const (
	gradeNames = "ABCDEF"
	grades     = len(gradeNames)
	rules      = 12
)

// outcome holds the counts that every contestant must produce.
type outcome struct {
	Grades [grades]gradeCount
	Hits   [rules]int64 // hits of each knockout, in declared order
}

type gradeCount struct {
	Rows, Approved, Referred int64
	Bad, BadApproved         int64
	LimitRupees              int64 // total limit of the approved rows
}

func (o *outcome) rows() (n int64) {
	for _, g := range o.Grades {
		n += g.Rows
	}
	return n
}

func (o *outcome) merge(other *outcome) {
	for i := range o.Grades {
		a, b := &o.Grades[i], &other.Grades[i]
		a.Rows, a.Approved, a.Referred = a.Rows+b.Rows, a.Approved+b.Approved, a.Referred+b.Referred
		a.Bad, a.BadApproved, a.LimitRupees = a.Bad+b.Bad, a.BadApproved+b.BadApproved, a.LimitRupees+b.LimitRupees
	}
	for i := range o.Hits {
		o.Hits[i] += other.Hits[i]
	}
}
