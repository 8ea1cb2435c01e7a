package page

import (
	"strings"
	"testing"

	"verdict/internal/backtest"
	"verdict/internal/fault"
)

// TestFailedRows checks that each row that was not evaluated says what is wrong with it and, opened, what to do.
func TestFailedRows(t *testing.T) {
	t.Parallel()
	body, err := Body(&backtest.Report{RowsTotal: 9, RowsFailed: 3, RowErrors: []backtest.RowError{
		{Row: 1_234, Field: "<b>foir</b>", Code: fault.CodeOutOfRange},
		{Row: 1_300, Code: fault.CodeWrongNumberOfCells},
		{Row: 1_400, Code: "new_code"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<th scope="row">1,234</th><td>&lt;b&gt;foir&lt;/b&gt;</td><td><details><summary>The value is outside ` +
			`the range of the field.</summary><p>Correct the value. Check its unit first: rupees or thousands, ` +
			`ratio or percentage. ` +
			`<code>out_of_range</code></p></details>`,
		`<th scope="row">1,300</th><td>–</td><td><details><summary>The row has more or fewer cells than the header.`,
		`<summary>The row could not be evaluated.</summary><p><code>new_code</code></p>`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the report lacks %s\n%s", want, body)
		}
	}
	for code := range wrong {
		if fault.Remedy(code) == "" {
			t.Errorf("%s says what is wrong, but not what to do", code)
		}
	}
}
