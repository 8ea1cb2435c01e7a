package sheet

import (
	"bytes"
	"strings"

	"verdict/internal/fault"
)

// These are the first bytes of files that people send instead of CSV: an XLSX
// workbook, which is a zip archive, and an older XLS workbook.
var (
	zipMagic = []byte("PK\x03\x04")
	oleMagic = []byte("\xd0\xcf\x11\xe0")
)

// notCSV returns an error if the first bytes show that the data are a workbook.
func notCSV(data []byte) error {
	if bytes.HasPrefix(data, zipMagic) || bytes.HasPrefix(data, oleMagic) {
		return fault.New(fault.Malformed, fault.CodeBadUTF8,
			"the file is a workbook (XLSX, XLS) or a zip archive and not CSV; save the sheet as CSV in UTF-8 and "+
				"send that")
	}
	return nil
}

// otherSeparator returns an error if the cells are not separated by commas: the
// header is then a single name that contains another separator.
func otherSeparator(names []string) error {
	if len(names) != 1 {
		return nil
	}
	var faults fault.List
	for _, other := range []struct{ sign, name string }{{";", "semicolons"}, {"\t", "tabs"}, {"|", "vertical bars"}} {
		if strings.Contains(names[0], other.sign) {
			faults.Add("/header", fault.CodeInvalidField,
				"has its columns separated by %s; save the file with commas between them", other.name)
			break
		}
	}
	return faults.Err()
}
