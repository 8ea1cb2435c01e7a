package backtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// TestBookHashes checks that a book has the same bytes on every processor and
// with every version of Go. The long tests also run this test on arm64.
func TestBookHashes(t *testing.T) {
	t.Parallel()
	got := map[uint64]string{}
	for _, seed := range []uint64{1, 42, math.MaxUint64} {
		sum := sha256.Sum256(Book{Seed: seed}.Append(nil, 1, 10_000))
		got[seed] = hex.EncodeToString(sum[:])
	}
	want := map[uint64]string{
		1:              "93e412ad52bb44688ae21e1ffa20e5d265d0ffdc86e1f5d088e879bf7f369c24",
		42:             "423f9b25720320a3a148aea73360adf3bb879ce2b09de56bb113dfd60d36c1ab",
		math.MaxUint64: "570b38746534ca63d856a223054d65692aef686e66191f119664c528d6b756f9",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the book has changed (-want +got):\n%s", diff)
	}
}

// TestBookAnyCut checks that a row does not depend on which other rows are
// generated in the same call.
func TestBookAnyCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := Book{
			Seed:    rapid.Uint64().Draw(t, "seed"),
			Months:  rapid.IntRange(MinMonths, MaxMonths).Draw(t, "months"),
			BadRate: rule.Number(rapid.Int64Range(int64(MinBadRate), int64(MaxBadRate)).Draw(t, "bad rate")),
		}
		first := rapid.Int64Range(1, 1<<40).Draw(t, "first")
		n := rapid.IntRange(0, 40).Draw(t, "n")
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		whole := b.Append(nil, first, n)
		parts := b.Append(b.Append(nil, first, cut), first+int64(cut), n-cut)
		if !bytes.Equal(whole, parts) {
			t.Fatalf("cut at %d:\n%s\nwhole:\n%s", cut, parts, whole)
		}
		for line := range strings.Lines(string(whole)) {
			if got := strings.Count(line, ",") + 1; got != len(b.Header()) {
				t.Fatalf("%d cells for %d columns: %s", got, len(b.Header()), line)
			}
		}
	})
}

// TestBookDefaults checks that a zero Months or BadRate means the default.
func TestBookDefaults(t *testing.T) {
	t.Parallel()
	said := Book{Seed: 7, Months: DefaultMonths, BadRate: DefaultBadRate}
	if got, want := (Book{Seed: 7}).Append(nil, 1, 100), said.Append(nil, 1, 100); !bytes.Equal(got, want) {
		t.Error("a book of defaults differs from one that says them")
	}
}

func TestBookCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		book Book
		want []string
	}{
		{Book{}, nil},
		{Book{Months: MinMonths, BadRate: MaxBadRate}, nil},
		{Book{Months: MaxMonths, BadRate: MinBadRate}, nil},
		{Book{Months: 3}, []string{"/synthetic/months"}},
		{Book{Months: -1, BadRate: -1}, []string{"/synthetic/months", "/synthetic/bad_rate"}},
		{Book{Months: 61, BadRate: MaxBadRate + 1}, []string{"/synthetic/months", "/synthetic/bad_rate"}},
	} {
		var faults fault.List
		tt.book.Check("/synthetic", &faults)
		var got []string
		for _, item := range faults.Items() {
			got = append(got, item.Pointer)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.book, diff)
		}
	}
}

// bookCells has the cells of the first rows of a book.
type bookCells struct {
	header []string
	rows   [][]string
}

func cellsOf(b Book, n int) bookCells {
	c := bookCells{header: b.Header()}
	for line := range strings.Lines(string(b.Append(nil, 1, n))) {
		c.rows = append(c.rows, strings.Split(strings.TrimSuffix(line, "\n"), ","))
	}
	return c
}

// text returns the cells of a column.
func (c bookCells) text(column string) (out []string) {
	at := slices.Index(c.header, column)
	for _, row := range c.rows {
		out = append(out, row[at])
	}
	return out
}

// pairs returns two columns of numbers, for rows with a score of at least 300.
func (c bookCells) pairs(t *testing.T, a, b string) (x, y []float64) {
	t.Helper()
	number := func(s string) float64 {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	as, bs, scores := c.text(a), c.text(b), c.text("score")
	for i := range as {
		if number(scores[i]) < 300 {
			continue
		}
		x, y = append(x, number(as[i])), append(y, number(bs[i]))
	}
	return x, y
}

func moments(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(deviation)
}

func correlation(x, y []float64) (r float64) {
	mx, sx := moments(x)
	my, sy := moments(y)
	for i := range x {
		r += (x[i] - mx) * (y[i] - my) / float64(len(x))
	}
	return r / (sx * sy)
}

// TestBookMoments checks that the mean and the standard deviation of each
// column are typical of an Indian book of unsecured loans.
func TestBookMoments(t *testing.T) {
	t.Parallel()
	cells := cellsOf(Book{Seed: 42}, 20_000)
	for _, tt := range []struct {
		column             string
		meanLow, meanHigh  float64
		devLow, devHigh    float64
		smallest, greatest float64
	}{
		{"age", 33, 37, 7, 10, 20, 65},
		{"monthly_income", 45_000, 60_000, 25_000, 45_000, 3_000, 3_000_000},
		{"foir", 0.3, 0.4, 0.14, 0.22, 0, 0.95},
		{"requested_amount", 150_000, 300_000, 150_000, 300_000, 20_000, 1_500_000},
		{"requested_tenure_months", 15, 40, 5, 20, 6, 60},
		{"score", 690, 710, 60, 80, 300, 900},
		{"enquiries_6m", 1.5, 2.5, 1.2, 2.2, 0, 25},
		{"active_tradelines", 3, 5, 1.3, 2.5, 1, 25},
		{"max_dpd_12m", 3, 10, 12, 30, 0, 179},
	} {
		x, _ := cells.pairs(t, tt.column, "score")
		mean, deviation := moments(x)
		if mean < tt.meanLow || mean > tt.meanHigh || deviation < tt.devLow || deviation > tt.devHigh {
			t.Errorf("%s: mean %.3f, deviation %.3f", tt.column, mean, deviation)
		}
		if slices.Min(x) < tt.smallest || slices.Max(x) > tt.greatest {
			t.Errorf("%s: from %g to %g", tt.column, slices.Min(x), slices.Max(x))
		}
	}
	scoreless := 0
	for _, score := range cells.text("score") {
		if n, _ := strconv.Atoi(score); n < 300 {
			scoreless++
			if n != -1 && (n < 1 || n > 6) {
				t.Fatalf("score %s", score)
			}
		}
	}
	if share := float64(scoreless) / 20_000; share < 0.07 || share > 0.09 {
		t.Errorf("%.4f are new to credit", share)
	}
}

// TestBookCorrelations checks that columns that are correlated in real books
// are correlated in the synthetic book.
func TestBookCorrelations(t *testing.T) {
	t.Parallel()
	cells := cellsOf(Book{Seed: 42}, 20_000)
	for _, tt := range []struct {
		a, b      string
		low, high float64
	}{
		{"score", "max_dpd_12m", -0.7, -0.3},
		{"score", "enquiries_6m", -0.6, -0.25},
		{"score", "foir", -0.5, -0.15},
		{"age", "monthly_income", 0.08, 0.4},
		{"monthly_income", "requested_amount", 0.4, 0.9},
		{"requested_amount", "requested_tenure_months", 0.3, 0.9},
		{"max_dpd_12m", "enquiries_6m", 0.05, 0.4},
	} {
		x, y := cells.pairs(t, tt.a, tt.b)
		if r := correlation(x, y); r < tt.low || r > tt.high {
			t.Errorf("%s and %s: %.3f", tt.a, tt.b, r)
		}
	}
}

// TestBookOutcomes checks that the bad rate is close to the requested one, and
// that no loan goes bad before the fourth month or after the last month.
func TestBookOutcomes(t *testing.T) {
	t.Parallel()
	const n = 40_000
	for _, b := range []Book{
		{Seed: 42}, {Seed: 1, BadRate: MinBadRate}, {Seed: 2, BadRate: MaxBadRate, Months: MaxMonths},
		{Seed: 3, BadRate: rule.One / 5, Months: MinMonths}, {Seed: 4, BadRate: rule.One / 50, Months: 24},
	} {
		cells := cellsOf(b, n)
		months := map[int]int{}
		vintages := map[string]bool{}
		for i, outcome := range cells.text("outcome") {
			month := cells.rows[i][len(cells.header)-1]
			vintages[cells.rows[i][len(cells.header)-3]] = true
			if (outcome == "bad") != (month != "") {
				t.Fatalf("outcome %s with month %q", outcome, month)
			}
			if m, err := strconv.Atoi(month); err == nil {
				months[m]++
			}
		}
		bads := 0
		for m, count := range months {
			if m < firstBadMonth || m > b.months() {
				t.Errorf("%+v: bad in month %d", b, m)
			}
			bads += count
		}
		want := float64(b.badRate()) / certain
		if got, slack := float64(bads)/n, 4*math.Sqrt(want*(1-want)/n)+want/100; math.Abs(got-want) > slack {
			t.Errorf("%+v: bad rate %.5f, want %.5f", b, got, want)
		}
		if len(vintages) != b.months() {
			t.Errorf("%+v: %d vintages", b, len(vintages))
		}
	}
}

func BenchmarkBook(b *testing.B) {
	book := Book{Seed: 42}
	var dst []byte
	for range b.N {
		dst = book.Append(dst[:0], 1, 10_000)
	}
	b.SetBytes(int64(len(dst)))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/row")
}
