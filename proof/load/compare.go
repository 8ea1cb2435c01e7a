package load

import (
	"context"
	"fmt"
	"time"
)

// ComparePlan sets how two binaries are compared.
type ComparePlan struct {
	Rounds      int
	Stage       time.Duration // length of each measurement
	Warm        time.Duration // length of the closed loop before the first measurement, which is not counted
	Connections int           // connections of the closed loop
	Options     Options
}

// Compared is the closed-loop rate of an older and a newer binary, measured directly after each other.
type Compared struct {
	Old, New *Result
	Stolen   float64 // share of the processor time that the host gave to other machines
}

// Ratio returns the rate of the newer binary, divided by that of the older one.
func (c *Compared) Ratio() float64 { return c.New.Rate() / c.Old.Rate() }

// CompareRate is the smallest permitted ratio of the rates: journal, log, encryption and events together may cost 15 %.
const CompareRate = 0.85

// Compare measures the closed-loop rates of two servers in turn. Every second round begins with the newer one, because
// the speed of a shared machine changes.
func Compare(ctx context.Context, older, newer Target, p ComparePlan, tell func(string, ...any)) ([]Compared, error) {
	sides := [2]*Generator{New(older, p.Options), New(newer, p.Options)}
	for _, side := range sides {
		side.Closed(ctx, p.Connections, p.Warm)
	}
	var rounds []Compared
	for i := range p.Rounds {
		var c Compared
		into := [2]**Result{&c.Old, &c.New}
		began := readProcessorTime()
		for half := range 2 {
			side := (i + half) % 2
			*into[side] = sides[side].Closed(ctx, p.Connections, p.Stage)
		}
		c.Stolen = stolenSince(began)
		if err := ctx.Err(); err != nil {
			return rounds, err
		}
		tell("old %.0f a second, new %.0f a second, ratio %.2f", c.Old.Rate(), c.New.Rate(), c.Ratio())
		rounds = append(rounds, c)
	}
	return rounds, nil
}

// CompareRatio returns the median of the ratios of all rounds.
func CompareRatio(rounds []Compared) float64 {
	ratios := make([]float64, len(rounds))
	for i := range rounds {
		ratios[i] = rounds[i].Ratio()
	}
	return median(ratios)
}

// JudgeCompare returns a sentence for each condition that was not met.
func JudgeCompare(rounds []Compared) (wrong []string) {
	for i, c := range rounds {
		for _, result := range []*Result{c.Old, c.New} {
			if result.Good == 0 || result.Good != result.Due {
				wrong = append(wrong, fmt.Sprintf("round %d: %d of %d requests were answered with 200; the first "+
					"other answer: %s", i+1, result.Good, result.Due, result.FirstWrong))
			}
		}
	}
	if ratio := CompareRatio(rounds); ratio < CompareRate {
		wrong = append(wrong, fmt.Sprintf("the new rate is %.2f of the old one (median of the rounds), less than %.2f",
			ratio, CompareRate))
	}
	return wrong
}

// CompareTable returns the rounds as rows of a table, with a heading first.
func CompareTable(rounds []Compared) [][]string {
	rows := [][]string{{"old, a second", "new, a second", "ratio", "old p99", "new p99", "stolen"}}
	for i := range rounds {
		c := &rounds[i]
		rows = append(rows, []string{
			fmt.Sprintf("%.0f", c.Old.Rate()), fmt.Sprintf("%.0f", c.New.Rate()), fmt.Sprintf("%.2f", c.Ratio()),
			short(c.Old.Latency.Quantile(0.99)), short(c.New.Latency.Quantile(0.99)),
			fmt.Sprintf("%.0f %%", 100*c.Stolen),
		})
	}
	return rows
}
