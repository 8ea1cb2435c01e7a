package training

import (
	"verdict/internal/rule"
)

// Options sets which rows and columns a scorecard is fitted to, and how.
type Options struct {
	Name string // name of the scorecard

	Target    string   // the column of outcomes
	Bad, Good []string // spellings of the outcomes; if both are empty, the default spellings apply

	Indeterminate []string // spellings of outcomes to leave out, in addition to the default ones
	Weight        string   // the column of weights; "" if every row has the same weight

	Map         map[string]string // column → field
	Exclude     []string          // columns to leave out
	Include     []string          // columns to use even if they look like an identifier or a leak
	Categorical []string          // columns whose numbers are categories
	PercentFOIR bool              // whether the foir column is in percent
	Missing     []string          // texts for a missing value, in addition to the empty cell and the usual words
	Special     []rule.Number     // numbers that are codes and not amounts, such as -1

	// The options below select the rows that are held out to measure the card. If HoldOut is not nil, the rows for
	// which it returns true are held out. Otherwise, if there is a SplitColumn, the rows with SplitValue in that
	// column are held out. Otherwise a share of all rows is held out.
	SplitColumn, SplitValue string
	HoldOut                 func(row int64) bool
	HoldOutShare            rule.Number
	Seed                    int64

	MaxBins        int
	MinShare       rule.Number // minimum share of the rows in an ordinary bin
	MonotoneOnly   bool        // allow no peaks and no valleys
	MaxFeatures    int
	MinIV          rule.Number
	MaxCorrelation rule.Number // maximum correlation of two columns' weights of evidence
	NoRefining     bool        // do not refine; points stay proportional to the weight of evidence

	PDO, AnchorScore, AnchorOdds rule.Number
	Decimals                     int  // decimals of the points
	SpreadBase                   bool // divide the base points equally among the factors

	// Check is called after every few hundred microseconds of work. If it returns an error, the fit stops. If Check is
	// set, the caller's goroutine does all the work, so that one fit uses one processor.
	Check func() error
	// Workers is the number of goroutines that work if Check is nil; 0 means 1. The result is the same for every
	// number.
	Workers int
}

// Defaults returns the default options.
func Defaults() Options {
	return Options{
		HoldOutShare: rule.One / 4, Seed: 42,
		MaxBins: 8, MinShare: rule.One / 20, MaxFeatures: 30, MinIV: rule.One / 100,
		MaxCorrelation: rule.One * 95 / 100, PDO: rule.Int(20), AnchorScore: rule.Int(600), AnchorOdds: rule.Int(50),
	}
}

// Limits of a fit.
const (
	maxRows     = 20_000_000
	maxColumns  = 500
	maxCells    = 2_000_000_000 // one byte each
	minPerClass = 50            // minimum number of good rows, and of bad rows
)

func toFloat(n rule.Number) float64 { return float64(n) / float64(rule.One) }
