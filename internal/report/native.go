package report

import "verdict/internal/wire"

// Native reports whether a report is in its bureau's own layout. bureau is the
// bureau's canonical name. A report in such a layout has hundreds of members that
// are not read, so callers should not warn about unknown members.
func Native(bureau string, v wire.Value) bool {
	l := layouts[bureau]
	return l != nil && l.native(v).Given()
}
