package console

import (
	"io"
	"strings"
)

// outcomeColumn is the column of the template that says whether a loan went bad.
const outcomeColumn = "outcome"

// backtestTemplate sends a CSV file with the columns that most policies read, and two rows to replace.
func (p *backtestPages) backtestTemplate(v *visit) error {
	return v.export("backtest-template.csv", func(out io.Writer, _ func()) error {
		_, err := io.WriteString(out, templateCSV())
		return err
	})
}

// templateCSV returns the template. Its values are those of the sample application, which need no quotes.
func templateCSV() string {
	header, row := append([]string{"loan_id"}, columnNames()...), []string{"L-1"}
	for i := range sampleFields {
		row = append(row, sampleFields[i].Begins)
	}
	header, row = append(header, outcomeColumn), append(row, "good")
	first := strings.Join(row, ",")
	second := strings.Replace(strings.Replace(first, "L-1,742", "L-2,641", 1), "good", "bad", 1)
	return strings.Join(header, ",") + "\r\n" + first + "\r\n" + second + "\r\n"
}

// columnNames returns the names of the columns that most policies read. The upload form suggests these names for the
// columns of a file.
func columnNames() []string {
	names := make([]string, len(sampleFields))
	for i := range sampleFields {
		names[i] = sampleFields[i].Name
	}
	return names
}
