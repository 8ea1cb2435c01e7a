package report

import "verdict/internal/wire"

// Native reports whether a report, given by its bureau's canonical name, is in
// the bureau's own layout. Such a report has hundreds of members that nothing
// reads, and none of them is worth a warning.
func Native(bureau string, v wire.Value) bool {
	l := layouts[bureau]
	return l != nil && l.native(v).Given()
}
