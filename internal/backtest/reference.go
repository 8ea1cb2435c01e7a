package backtest

import (
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// ReadReference reads the score distribution of a report, as WriteMembers wrote
// it, for Setup.Reference. v may also be an object whose member "report" is the
// report. If v is not a report, the error is a *fault.Error.
func ReadReference(v wire.Value) ([]int64, error) {
	var faults fault.List
	if report := v.Get("report"); report.Given() {
		v = report
	}
	cells := v.Get("distribution")
	if cells.Kind() != wire.Array || cells.Len() == 0 || cells.Len() > maxDistribution {
		faults.Add("/distribution", fault.CodeRequired,
			"is required: the score distribution of a report, of 1 to %d cells", maxDistribution)
		return nil, faults.Err()
	}
	var d Distribution
	for _, cell := range cells.Elements() {
		least, ok := wholeNumber(cell.Get("min"))
		most, okMost := wholeNumber(cell.Get("max"))
		weight, okWeight := cellWeight(cell.Get("weight"))
		width := most - least + 1
		switch n := len(d.Cells); {
		case !ok || !okMost || !okWeight || width < 1:
			faults.Add(cell.Pointer(), fault.CodeInvalidField,
				`must have whole numbers "min" and "max", and a "weight"`)
		case n > 0 && (width != d.Width || least <= d.Cells[n-1].Min):
			faults.Add(cell.Pointer(), fault.CodeInvalidField, "must be as wide as the cells before it, and above them")
		default:
			d.Width = width
			d.Cells = append(d.Cells, DistributionCell{Min: least, Weight: weight})
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return d.Reference(), nil
}

func wholeNumber(v wire.Value) (int64, bool) {
	n, err := strconv.ParseInt(v.Text(), 10, 64)
	return n, v.Kind() == wire.Number && err == nil
}

// cellWeight reads the weight of a cell. It returns false if the weight is
// invalid. The bound is higher than the weight of any book, and low enough that
// the sum of all cells fits in an int64.
func cellWeight(v wire.Value) (int64, bool) {
	const bound = 1 << 52
	if v.Kind() != wire.Number {
		return 0, false
	}
	weight, exact, ok := wire.ParseDecimal(v.Text(), weightPlaces)
	return weight, ok && exact && weight >= 0 && weight <= bound
}
