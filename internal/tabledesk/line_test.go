package tabledesk_test

import (
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/tabledesk"
)

// TestFaultsNameTheLine checks that the faults of a file name its lines, which blank lines and the header move away
// from the number of the row.
func TestFaultsNameTheLine(t *testing.T) {
	t.Parallel()
	empty := upload(t, "bands", `{"keys":[{"field":"monthly_income","type":"number","match":"range"}],
		"columns":[{"name":"limit","type":"number"}],"rows":[]}`)
	for _, c := range []struct{ file, want string }{
		{
			"monthly_income.gte,monthly_income.lt,limit\n\n0,100,1\n200,300,2\n\n\n50,150,3\n",
			"/rows/0/keys matches the same applications as /rows/2/keys (line 7 of the file); change the keys so " +
				"that at most one row matches (line 3 of the file)",
		},
		{
			"monthly_income.gte,monthly_income.lt,limit\n0,100,1\n\n300,200,2\n",
			`/rows/1/keys/0 must have a "gte" that is below "lt", otherwise it contains no number (line 4 of the file)`,
		},
	} {
		u := tabledesk.Upload{CSV: strings.NewReader(c.file)}
		_, err := u.Build(t.Context(), *empty.Definition)
		refusal := fault.Of(err)
		if refusal == nil || len(refusal.Items) == 0 {
			t.Fatal(err)
		}
		if got := refusal.Items[0].Pointer + " " + refusal.Items[0].Detail; got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
