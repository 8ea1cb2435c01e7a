package console

import (
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/table"
	"verdict/internal/tabledesk"
	"verdict/internal/tenant"
)

// tableRow is a row of a table as the page shows it: its keys, then its values.
type tableRow struct{ Cells []tableCell }

// tableCell is a key or a value of a row, with the name of its column.
type tableCell struct{ Column, Text string }

// tableAnswer is the result of looking up the keys that a person typed.
type tableAnswer struct {
	Match  bool
	Values []tableValue // empty if no row matches and the table has no default
}

// tableValue is the value of a column.
type tableValue struct{ Fact, Value string }

// keyField is the field of the form for a key of a table.
type keyField struct{ Name, Label, Hint string }

// one renders the page of a single table, with a form that looks a row up. It shows the rows only to people who may
// change them.
func (p *tablePages) one(v *visit) error { return p.draw(v, nil) }

// draw renders the page of a table. answer is the result of a lookup, or nil if nothing was looked up.
func (p *tablePages) draw(v *visit, answer *tableAnswer) error {
	name := v.id("name")
	found, err := p.tables.Table(v.ctx, v.caller(), name)
	if err != nil {
		return err
	}
	var rows tabledesk.RowPage
	if v.caller().Scopes.Has(tenant.PolicyWrite) {
		if rows, err = p.tables.Rows(v.ctx, v.caller(), name, v.listing()); err != nil {
			return err
		}
	}
	data := struct {
		Table    tableLine
		Heads    []string
		Fields   []keyField
		Rows     []tableRow
		Defaults []string
		Answer   *tableAnswer
		Pager    pager
	}{Table: tableLineOf(found), Answer: answer, Pager: v.pager(rows.NextCursor)}
	for i, k := range found.Definition.Keys {
		data.Heads = append(data.Heads, k.Field.Name)
		data.Fields = append(data.Fields, keyField{keyName(i), k.Field.Name, "A " + table.TypeName(k.Field.Type) + "."})
	}
	for _, c := range found.Definition.Columns {
		data.Heads = append(data.Heads, c.Name)
	}
	for _, row := range rows.Data {
		data.Rows = append(data.Rows, tableRow{cellsOf(row, data.Heads)})
	}
	for _, value := range found.Definition.Defaults {
		data.Defaults = append(data.Defaults, valueText(value))
	}
	return v.render("table", "Table "+name, data)
}

// keyName returns the name of the form's field for a key.
func keyName(at int) string { return "key" + strconv.Itoa(at) }

// cellsOf returns the keys and values of a row as texts. heads has the names of the columns.
func cellsOf(row table.Row, heads []string) (cells []tableCell) {
	for _, key := range row.Keys {
		cells = append(cells, tableCell{heads[len(cells)], cellText(heads[len(cells)], key)})
	}
	for _, value := range row.Values {
		cells = append(cells, tableCell{heads[len(cells)], valueText(value)})
	}
	return cells
}

// cellText returns the key of a row, which is a value of the named field, as a text. Amounts are written in rupees.
func cellText(name string, key table.Cell) string {
	switch {
	case !key.Range:
		return amountText(name, valueText(key.Value))
	case key.Low == table.Lowest && key.High == table.Highest:
		return "any"
	case key.Low == table.Lowest:
		return "below " + amountText(name, key.High.String())
	case key.High == table.Highest:
		return amountText(name, key.Low.String()) + " or more"
	}
	return amountText(name, key.Low.String()) + " to below " + amountText(name, key.High.String())
}

func valueText(value rule.Value) string {
	switch value.Type() {
	case rule.NumberType:
		return value.Number().String()
	case rule.BoolType:
		return strconv.FormatBool(value.IsTrue())
	}
	return value.Text()
}

// lookUp looks a row up and shows the answer. The form is posted, so that the keys are not in the address.
func (p *tablePages) lookUp(v *visit) error {
	found, err := p.tables.Table(v.ctx, v.caller(), v.id("name"))
	if err != nil {
		return err
	}
	var faults fault.List
	var keys []rule.Value
	for i, k := range found.Definition.Keys {
		value, code, detail := table.ParseValue(v.form.Value(keyName(i)), k.Field.Type)
		if code != "" {
			faults.Add("/"+keyName(i), code, "%s", detail)
		}
		keys = append(keys, value)
	}
	err = faults.Err()
	var row tabledesk.Found
	if err == nil {
		row, err = p.tables.LookUpRow(v.ctx, v.caller(), v.id("name"), keys)
	}
	if err != nil {
		return v.redraw(err, p.one)
	}
	answer := &tableAnswer{Match: row.Match}
	for i, value := range row.Values {
		answer.Values = append(answer.Values, tableValue{row.Columns[i].Fact, valueText(value)})
	}
	return p.draw(v, answer)
}
