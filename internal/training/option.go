package training

import (
	"verdict/internal/rule"
)

// Options says which rows and columns a scorecard is fitted to, and how.
type Options struct {
	Name string // of the scorecard

	Target    string   // the column of outcomes
	Bad, Good []string // spellings of the outcomes; the default ones if both are empty

	Indeterminate []string // spellings of outcomes that are left out, besides the default ones
	Weight        string   // the column of weights; "" if every row counts the same

	Map         map[string]string // column → field
	Exclude     []string          // columns that are not to be used
	Include     []string          // columns to use even if they look like an identifier or a leak
	Categorical []string          // columns whose numbers are categories
	PercentFOIR bool              // foir is in percent
	Missing     []string          // texts that mean a missing value, in addition to the empty cell
	Special     []rule.Number     // numbers that stand for something else, such as -1

	// These say which rows are held out to measure the card on: those for which
	// HoldOut returns true, else those whose SplitColumn has SplitValue, else a
	// share of all rows.
	SplitColumn, SplitValue string
	HoldOut                 func(row int64) bool
	HoldOutShare            rule.Number
	Seed                    int64

	MaxBins        int
	MinShare       rule.Number // of the rows, in an ordinary bin
	MonotoneOnly   bool        // no peaks and no valleys
	MaxFeatures    int
	MinIV          rule.Number
	MaxCorrelation rule.Number // between two columns' weights of evidence
	NoRefining     bool        // keep points proportional to the weight of evidence

	PDO, AnchorScore, AnchorOdds rule.Number
	Decimals                     int  // of points
	SpreadBase                   bool // no base points: they are divided equally among the factors

	// Check is called about every hundred microseconds of work; if it returns an
	// error, the fit stops. With a check all work is done by the caller's
	// goroutine, so that one fit uses one processor; without one, all processors
	// are used. The result is the same.
	Check func() error
}

// Defaults returns the default options.
func Defaults() Options {
	return Options{
		HoldOutShare: rule.One / 4, Seed: 42,
		MaxBins: 8, MinShare: rule.One / 20, MaxFeatures: 30, MinIV: rule.One / 100,
		MaxCorrelation: rule.One * 95 / 100, PDO: rule.Int(20), AnchorScore: rule.Int(600), AnchorOdds: rule.Int(50),
	}
}

// Bounds of a fit.
const (
	maxRows     = 20_000_000
	maxColumns  = 500
	maxCells    = 2_000_000_000 // a byte each
	minPerClass = 50            // goods and bads to learn from
)

func toFloat(n rule.Number) float64 { return float64(n) / float64(rule.One) }
