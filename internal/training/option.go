package training

import (
	"verdict/internal/rule"
)

// Options say what is learnt from, and how.
type Options struct {
	Name string // of the scorecard

	Target    string   // the column of outcomes
	Bad, Good []string // their spellings; without any the usual ones

	Indeterminate []string // spellings of outcomes that are left out, besides the usual ones
	Weight        string   // the column of weights; "" when every row counts alike

	Map         map[string]string // column → field
	Exclude     []string          // columns that are not to be used
	Include     []string          // columns to use even if they look like an identifier or a leak
	Categorical []string          // columns whose numbers are names of things
	PercentFOIR bool              // foir is in percent
	Missing     []string          // spellings of nothing, besides the empty cell
	Special     []rule.Number     // numbers that stand for something else, such as -1

	// Which rows are held out to measure the card on: those whose split column
	// has the value, those that HoldOut names, or a share of all.
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
	NoRefining     bool        // points are a multiple of the weight of evidence

	PDO, AnchorScore, AnchorOdds rule.Number
	Decimals                     int  // of points
	SpreadBase                   bool // no base points: each factor bears its share of them

	// Check is called many times in a millisecond of work, and its error ends
	// the fit. With a check all work is done by the caller's goroutine, so that
	// one fit takes one processor; without one, all processors are used. The
	// result is the same.
	Check func() error
}

// Defaults are the options that most would choose.
func Defaults() Options {
	return Options{
		HoldOutShare: rule.One / 4, Seed: 42,
		MaxBins: 8, MinShare: rule.One / 20, MaxFeatures: 30, MinIV: rule.One / 100, MaxCorrelation: rule.One * 95 / 100,
		PDO: rule.Int(20), AnchorScore: rule.Int(600), AnchorOdds: rule.Int(50),
	}
}

// The bounds of one fit.
const (
	maxRows     = 20_000_000
	maxColumns  = 500
	maxCells    = 2_000_000_000 // a byte each
	minPerClass = 50            // goods and bads to learn from
)

func toFloat(n rule.Number) float64 { return float64(n) / float64(rule.One) }
