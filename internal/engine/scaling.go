package engine

import (
	"math"

	"verdict/internal/rule"
)

// Scaling relates points to odds: AnchorScore points mean AnchorOdds good
// borrowers to one bad, and every PDO points double the odds.
type Scaling struct {
	PDO, AnchorScore, AnchorOdds rule.Number
}

// Factor returns the points per unit of log-odds.
func (s *Scaling) Factor() float64 { return toFloat(s.PDO) / math.Ln2 }

// Offset returns the score at even odds.
func (s *Scaling) Offset() float64 {
	return toFloat(s.AnchorScore) - float64(s.Factor()*math.Log(toFloat(s.AnchorOdds)))
}

// Odds returns the good-to-bad odds at a score, rounded to two decimals.
func (s *Scaling) Odds(score rule.Number) rule.Number {
	return fromFloat(s.odds(score), 2)
}

// PD returns the probability of default at a score, rounded to four decimals.
func (s *Scaling) PD(score rule.Number) rule.Number {
	return fromFloat(1/(1+s.odds(score)), 4)
}

// odds returns AnchorOdds·2^((score−anchor)/PDO). It computes the power in
// steps that every processor rounds in the same way. It does not call the power
// functions of the math package, which use assembly on some processors. The
// conversions to float64 prevent fused multiply-add, which would change the
// last bit on some processors.
func (s *Scaling) odds(score rule.Number) float64 {
	x := toFloat(score-s.AnchorScore) / toFloat(s.PDO)
	x = min(max(x, -1000), 1000)
	whole := math.Floor(x)
	rest := float64((x - whole) * math.Ln2)
	sum, term := 1.0, 1.0
	for k := 1.0; k <= 20; k++ {
		term = float64(float64(term*rest) / k)
		sum = float64(sum + term)
	}
	return math.Ldexp(float64(toFloat(s.AnchorOdds)*sum), int(whole))
}

func toFloat(n rule.Number) float64 { return float64(n) / float64(rule.One) }

// fromFloat converts x to a Number, rounded half up to the given decimal places
// and capped at MaxNumber.
func fromFloat(x float64, places int) rule.Number {
	scale, unit := 1.0, rule.One
	for range places {
		scale *= 10
		unit /= 10
	}
	x = min(x, toFloat(rule.MaxNumber))
	return rule.Number(math.Floor(float64(x*scale)+0.5)) * unit
}
