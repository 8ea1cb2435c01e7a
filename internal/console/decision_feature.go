package console

import (
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// features is the feature vector of a decision: what each name held, and for
// one name the records that made it.
func (p *decisionPages) features(v *visit) error {
	list, filters := v.listing(), v.filters()
	var faults fault.List
	filter := decisioning.FeatureFilter{
		Name:          filters.Value("name"),
		Contains:      filters.Value("q"),
		Metric:        filters.Value("metric"),
		Product:       filters.Value("product"),
		Aggregation:   filters.Value("aggregation"),
		WindowDays:    whole(&faults, "/window", filters.Value("window"), 0, 1, 3650),
		UsedOnly:      filters.Has("only", "used"),
		PopulatedOnly: filters.Has("only", "populated"),
	}
	filter.Provenance = filter.Name != ""
	v.form.Faults = append(v.form.Faults, faults.Items()...)
	filters.Faults = v.form.Faults
	vector, err := p.decisions.Features(v.ctx, v.caller(), v.id("id"), filter, list)
	if err != nil {
		return err
	}

	var w wire.Writer
	vector.Write(&w)
	doc, err := wire.Parse(w.Buf)
	if err != nil {
		return err
	}

	return v.render("features", "Features", struct {
		ID       string
		Filters  *form
		Doc      wire.Value
		One      bool // a single feature with its records
		Metrics  []option
		Products []option
		Pager    pager
	}{
		ID:       v.id("id"),
		Filters:  filters,
		Doc:      doc,
		One:      filter.Provenance && len(vector.Data) == 1,
		Metrics:  named(decisioning.FeatureMetrics()),
		Products: named(decisioning.FeatureProducts()),
		Pager:    v.pager(vector.NextCursor),
	})
}

// named are choices that are called what they are.
func named(names []string) []option {
	list := []option{{Label: "Any"}}
	for _, name := range names {
		list = append(list, option{Value: name, Label: words(name)})
	}
	return list
}
