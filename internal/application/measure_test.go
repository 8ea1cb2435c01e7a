package application_test

import (
	"strings"
	"testing"

	"verdict/internal/application"
	"verdict/internal/feature"
)

// TestWarnNotMeasured checks that the warning lists a limited number of names and
// says how many it omits. The warning for a decision request must name the
// endpoint that measures features.
func TestWarnNotMeasured(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 25 {
		names = append(names, feature.NameAt(i))
	}
	named := application.Features(names)
	evaluated := &application.Application{Endpoint: application.Evaluate}
	evaluated.WarnNotMeasured(named)
	if len(evaluated.Warnings) != 1 {
		t.Fatalf("%d warnings", len(evaluated.Warnings))
	}
	w := evaluated.Warnings[0]
	if w.Code != "features_not_requested" || w.Pointer != "/features" || len(w.Fields) != 20 ||
		w.Fields[0] != names[0] ||
		!strings.Contains(w.Detail, "(and 5 more)") || !strings.Contains(w.Detail, `"features": true`) {
		t.Errorf("%+v", w)
	}
	decided := &application.Application{Endpoint: application.Decisions}
	decided.WarnNotMeasured(named[:1])
	if w := decided.Warnings[0]; !strings.Contains(w.Detail, "POST /v1/evaluate") || strings.Contains(w.Detail,
		"more") {
		t.Errorf("%+v", w)
	}
	measured := &application.Application{Endpoint: application.Evaluate, MeasuresFeatures: true}
	measured.WarnNotMeasured(named)
	evaluated.Warnings = nil
	evaluated.WarnNotMeasured(nil)
	if len(measured.Warnings)+len(evaluated.Warnings) != 0 {
		t.Error("warned although nothing is missing")
	}
}

// TestCatalogueOf checks that a policy of semantics 1 reads feature catalogue 1
// and a policy of semantics 2 reads feature catalogue 2.
func TestCatalogueOf(t *testing.T) {
	t.Parallel()
	for semantics, want := range map[int]feature.Catalogue{1: feature.Catalogue1, 2: feature.Catalogue2} {
		if got := application.CatalogueOf(semantics); got != want {
			t.Errorf("semantics %d: catalogue %d", semantics, got)
		}
	}
}
