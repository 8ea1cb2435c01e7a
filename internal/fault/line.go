package fault

import "strconv"

// InLine appends the number of a line of a file to the detail of a fault. The pointer of the fault counts rows, which
// people cannot find in a file with blank lines. The number is 0 if the value is not from a file.
func InLine(detail string, line int64) string {
	if line == 0 {
		return detail
	}
	return detail + " (line " + strconv.FormatInt(line, 10) + " of the file)"
}
