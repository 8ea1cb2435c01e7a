package sheet

import (
	"fmt"
	"strings"
)

// maxNames and maxNameBytes limit the names that Names returns.
const maxNames, maxNameBytes = 20, 1_000

// Names returns the names of columns for a message, separated by commas. It names a limited number of them and counts
// the others. It returns "" if there are none.
func Names(columns []string) string {
	var text strings.Builder
	for i, name := range columns {
		if i == maxNames || i > 0 && text.Len()+len(name) > maxNameBytes {
			_, _ = fmt.Fprintf(&text, " and %d more", len(columns)-i)
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		if name == "" {
			name = "(a column without a name)"
		}
		text.WriteString(name)
	}
	return text.String()
}
