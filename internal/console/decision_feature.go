package console

import (
	"verdict/internal/decisioning"
	"verdict/internal/fault"
)

// features renders the feature vector of a decision, or a single feature with the records behind
// its value.
func (p *decisionPages) features(v *visit) error {
	list, filters := v.listing(), v.filters()
	var faults fault.List
	filter := decisioning.FeatureFilter{
		Name:          filters.Value("name"),
		Contains:      filters.Value("q"),
		Metric:        filters.Value("metric"),
		Product:       filters.Value("product"),
		Aggregation:   filters.Value("aggregation"),
		WindowDays:    wholeNumber(&faults, "/window", filters.Value("window"), 0, 1, 3650),
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

	return v.render("features", "Features", struct {
		ID       string
		Filters  *form
		Vector   decisioning.FeatureVector
		Rows     []featureRow
		One      bool // whether the page shows a single feature with its records
		Metrics  []option
		Products []option
		Pager    pager
	}{
		ID:       v.id("id"),
		Filters:  filters,
		Vector:   vector,
		Rows:     featureRows(vector.Data),
		One:      filter.Provenance && len(vector.Data) == 1,
		Metrics:  named(decisioning.FeatureMetrics()),
		Products: named(decisioning.FeatureProducts()),
		Pager:    v.pager(vector.NextCursor),
	})
}

// featureRow is a feature with the texts that the page shows.
type featureRow struct {
	decisioning.FeatureValue
	Value   string // "" if the feature has no value
	Records []featureRecord
	Total   int // number of records, including those that are not shown
}

// featureRecord is a record from which a feature was computed. Texts that the record does
// not have are "".
type featureRecord struct{ Part, Kind, Place, Date, Value string }

// recordsShown is the maximum number of records of a feature on a page.
const recordsShown = 500

func featureRows(values []decisioning.FeatureValue) []featureRow {
	rows := make([]featureRow, len(values))
	for i, f := range values {
		rows[i].FeatureValue = f
		if f.Known {
			rows[i].Value = featureText(f.Value)
		}
		if f.Provenance == nil {
			continue
		}
		rows[i].Total = len(f.Provenance.Records)
		for _, r := range f.Provenance.Records[:min(rows[i].Total, recordsShown)] {
			record := featureRecord{Part: r.Part, Kind: r.Kind, Value: featureText(r.Value)}
			if r.Placed() {
				record.Place = itoa(int(r.At))
			}
			if r.Date.Known() {
				record.Date = r.Date.String()
			}
			rows[i].Records = append(rows[i].Records, record)
		}
	}
	return rows
}

func featureText(value int64) string { return decimalText(value, decisioning.FeaturePlaces) }

// named returns one choice for each name, labelled in words, with "Any" first.
func named(names []string) []option {
	list := []option{{Label: "Any"}}
	for _, name := range names {
		list = append(list, option{Value: name, Label: words(name)})
	}
	return list
}
