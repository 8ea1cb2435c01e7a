package console

import "strconv"

// gridPrefix is the prefix of the names of the grid's form fields.
const gridPrefix = "grid."

// gridFields lists the members of a pricing band that the grid shows, each as a column.
var gridFields = []editField{
	{Name: "grade", Label: "Grade"},
	{Name: "min_score", Label: "From score", Kind: asNumber},
	{Name: "max_score", Label: "To score", Kind: asNumber},
	{Name: "interest_rate", Label: "Interest, %", Kind: asNumber},
	{Name: "tenure_months", Label: "Months", Kind: asNumber},
	{Name: "min_limit", Label: "Smallest, ₹", Kind: asNumber},
	{Name: "max_limit", Label: "Largest, ₹", Kind: asNumber},
	{Name: "foir_cap", Label: "FOIR cap", Kind: asShare},
	{Name: "processing_fee_pct", Label: "Fee, %", Kind: asNumber},
}

// gridRow is a pricing band as a row of the grid.
type gridRow struct {
	Name  string
	Cells []gridCell
}

// gridCell is a member of a pricing band.
type gridCell struct{ ID, Name, Label, Value, Fault string }

// bandGrid returns the pricing bands of a draft as a grid. It leaves out the open band, whose members are edited below.
func bandGrid(d *draft, said remarks, open place) (rows []gridRow) {
	lines, _ := d.list(sectionBands)
	for i := range lines {
		band, is := lines[i].(map[string]any)
		at := place{sectionBands, i}
		if !is || at == open {
			continue
		}
		row := gridRow{Name: lineName(band)}
		faults := said.faultsIn(at.pointer(), "")
		for j := range gridFields {
			f := &gridFields[j]
			cell := gridCell{ID: gridControl(i, f.Name), Name: gridName(i, f.Name), Label: f.Label,
				Value: f.typed(band)}
			for _, item := range faults {
				if item.Pointer == "/"+f.Name {
					cell.Fault = item.Detail
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

func gridName(index int, member string) string {
	return gridPrefix + strconv.Itoa(index) + "." + member
}

// gridControl returns the id of a cell. It names the section, so that the section is unfolded if the cell has the
// focus.
func gridControl(index int, member string) string {
	return "grid-" + sectionBands + "-" + strconv.Itoa(index) + "-" + member
}

// takeGrid sets the members of the pricing bands from the grid. A member that the form does not have stays as it is.
func takeGrid(d *draft, f *form) {
	lines, _ := d.list(sectionBands)
	for i := range lines {
		band, is := lines[i].(map[string]any)
		if !is {
			continue
		}
		for j := range gridFields {
			if name := gridName(i, gridFields[j].Name); f.values.Has(name) {
				gridFields[j].put(band, f.values.Get(name))
			}
		}
	}
}
