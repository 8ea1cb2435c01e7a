package report

import "verdict/internal/wire"

// Native reports whether a report is in the own layout of its bureau. bureau is
// the bureau's canonical name. Such a report has hundreds of members that are
// not read, so callers should not warn about unknown members.
func Native(bureau string, v wire.Value) bool {
	l := layouts[bureau]
	return l != nil && l.native(v).Given()
}
