package training

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"verdict/internal/wire"
)

// draws is a small random number generator. It does not depend on the Go version,
// so the rows of a test never change.
type draws struct{ state uint64 }

func (d *draws) next() uint64 {
	d.state++
	return mix(d.state)
}

func (d *draws) unit() float64 { return float64(d.next()>>11) / (1 << 53) }

// loans writes rows like those of a lender: a bureau score with a code for new
// to credit, an income with gaps, utilisation with special values, employment
// with rare kinds, and columns without information.
func loans(n int, seed uint64) string {
	d := &draws{seed << 32}
	var b strings.Builder
	b.WriteString("id,score,monthly_income,UTIL%,employment_type,months,noise,always,bad\n")
	kinds := []string{"salaried", "salaried", "salaried", "self_employed", "self_employed", "business", "pensioner",
		"gig"}
	for i := range n {
		score := 450 + int(d.unit()*200) + int(d.unit()*200)
		income := 15_000 + int(d.unit()*d.unit()*200_000)
		util := d.unit() * 1.2
		kind := kinds[d.next()%8]
		months := int(d.next() % 120)
		risk := -1.4 + float64(640-score)/60 + 1.5*(util-0.5) - float64(income)/150_000
		if kind == "gig" || kind == "business" {
			risk += 0.7
		}
		if months > 40 && months < 80 {
			risk -= 0.8 // medium values are the best
		}
		scoreText, utilText, incomeText := fmt.Sprint(score), fmt.Sprintf("%.4f", util), fmt.Sprint(income)
		switch d.next() % 12 {
		case 0:
			scoreText, risk = "-1", -0.9
		case 1:
			utilText, risk = "-9", risk+0.6
		case 2:
			incomeText, risk = "", risk+0.4
		}
		if d.next()%400 == 0 {
			kind = fmt.Sprintf("rare_%d", d.next()%9)
		}
		bad := 0
		if d.unit() < 1/(1+exp(-risk)) {
			bad = 1
		}
		fmt.Fprintf(&b, "%d,%s,%s,%s,%s,%d,%d,1,%d\n",
			i, scoreText, incomeText, utilText, kind, months, d.next()%1000, bad)
	}
	return b.String()
}

func from(csv string) Source {
	return func() (io.Reader, error) { return strings.NewReader(csv), nil }
}

func loanOptions(tb testing.TB) Options {
	tb.Helper()
	o := Defaults()
	o.Target, o.Name = "bad", "Loans"
	o.Special = append(o.Special, -9*1_000_000)
	o.Workers = 2
	return o
}

// written returns the complete output of a fit as JSON.
func (r *Result) written() string {
	var w wire.Writer
	w.Object().Key("card").Raw(r.Card.Document()).Key("inputs")
	r.WriteInputs(&w)
	w.Key("report")
	r.Report.Write(&w)
	w.EndObject()
	return string(w.Buf)
}
