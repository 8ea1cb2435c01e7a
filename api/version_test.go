package api_test

import (
	"regexp"
	"testing"

	"verdict/api"
)

// TestVersion checks that the document and the service have the same version,
// and that it is a semantic version without build metadata.
func TestVersion(t *testing.T) {
	t.Parallel()
	const semantic = `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`
	if !regexp.MustCompile(semantic).MatchString(api.Version) {
		t.Errorf("VERSION says %q, which is no semantic version", api.Version)
	}
	if told := load(t).Info.Version; told != api.Version {
		t.Errorf("the document says %q and VERSION %q", told, api.Version)
	}
}
