package engine_test

import (
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// TestFeaturesOfADocument checks that a document has the member "features" only
// if its value is "auto", so that the default does not change the checksum.
// Every semantics allows "auto".
func TestFeaturesOfADocument(t *testing.T) {
	t.Parallel()
	for _, semantics := range []string{"", `"semantics":2,`} {
		absent := readPolicy(t, `{"name":"P",`+semantics+plainSections+`}`)
		asked := readPolicy(t, `{"name":"P","features":"on_request",`+semantics+plainSections+`}`)
		auto := readPolicy(t, `{"name":"P","features":"auto",`+semantics+plainSections+`}`)
		if absent.FeaturesAuto || asked.FeaturesAuto || !auto.FeaturesAuto {
			t.Errorf("auto is %t, %t and %t", absent.FeaturesAuto, asked.FeaturesAuto, auto.FeaturesAuto)
		}
		if string(asked.Document()) != string(absent.Document()) || strings.Contains(string(absent.Document()),
			`"features"`) {
			t.Errorf("the default shows in the document: %s", asked.Document())
		}
		if !strings.Contains(string(auto.Document()), `"conditions":[],"features":"auto","include_defaults":true`) {
			t.Errorf("auto does not show in the document: %s", auto.Document())
		}
		if asked.Checksum() != absent.Checksum() || auto.Checksum() == absent.Checksum() {
			t.Error("the checksum tells the default, or does not tell auto")
		}
		if again := readPolicy(t, string(auto.Document())); string(again.Document()) != string(auto.Document()) {
			t.Errorf("the document becomes another one: %s", again.Document())
		}
	}
	for _, wrong := range []string{`true`, `"always"`, `1`} {
		document := `{"name":"P","features":` + wrong + `,` + plainSections + `}`
		_, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
		if err == nil || !strings.Contains(err.Error(), "/features") {
			t.Errorf("features %s: %v", wrong, err)
		}
	}
}

// TestFeaturesAreInherited checks that a fork keeps the "features" setting of
// its base, and that naming the default "on_request" turns "auto" off.
func TestFeaturesAreInherited(t *testing.T) {
	t.Parallel()
	base := readPolicy(t, `{"name":"P","features":"auto",`+plainSections+`}`)
	kept, inherited := forked(t, `{"name":"Fork"}`, base)
	if !kept.FeaturesAuto || !strings.Contains(strings.Join(inherited, " "), "features") {
		t.Errorf("the fork is auto: %t, inherited %v", kept.FeaturesAuto, inherited)
	}
	if off, _ := forked(t, `{"name":"Fork","features":"on_request"}`, base); off.FeaturesAuto {
		t.Error("the fork cannot turn auto off")
	}
}
