package document

import (
	"verdict/internal/decisioning"
	"verdict/internal/feature"
	"verdict/internal/wire"
)

// maxRecords is the maximum number of records that are shown for one feature. A
// statement has up to twenty thousand.
const maxRecords = 500

// WriteFeatures writes a page of a decision's features.
func WriteFeatures(w *wire.Writer, v decisioning.FeatureVector) {
	w.Object().Key("decision_id").Plain(v.DecisionID).Key("count").Int(int64(v.Count()))
	w.Key("catalogue").Int(int64(v.Catalogue)).Key("vector_hash").Plain(v.Hash)
	w.Key("as_of").Plain(v.AsOf).Key("data").Array()
	for i := range v.Data {
		writeFeature(w, &v.Data[i])
	}
	w.EndArray()
	writePagination(w, v.Limit, v.NextCursor)
	w.EndObject()
}

func writeFeature(w *wire.Writer, f *decisioning.FeatureValue) {
	n := f.Name
	w.Object().Key("name").Plain(n.String()).Key("metric").Plain(n.Metric).Key("product").Plain(n.Product)
	w.Key("window_days").Int(int64(n.WindowDays)).Key("aggregation").Plain(n.Aggregation).Key("value")
	if f.Known {
		w.Decimal(f.Value, decisioning.FeaturePlaces)
	} else {
		w.Null()
	}
	w.Key("used_by_policy").Bool(f.Used)
	if f.Provenance != nil {
		w.Key("provenance")
		writeProvenance(w, f.Provenance)
	}
	w.EndObject()
}

func writeProvenance(w *wire.Writer, p *feature.Provenance) {
	w.Object().Key("meaning").String(p.Meaning).Key("formula").String(p.Formula)
	if p.From.Known() {
		w.Key("from").Plain(p.From.String()).Key("to").Plain(p.To.String())
	}
	if p.CoveredFrom.Known() {
		w.Key("covered_from").Plain(p.CoveredFrom.String())
	}
	w.Key("records_total").Int(int64(len(p.Records))).Key("records").Array()
	for _, r := range p.Records[:min(len(p.Records), maxRecords)] {
		w.Object().Key("part").Plain(r.Part).Key("kind").Plain(r.Kind)
		if r.Placed() {
			w.Key("position").Int(int64(r.At))
		}
		if r.Date.Known() {
			w.Key("date").Plain(r.Date.String())
		}
		w.Key("value").Decimal(r.Value, decisioning.FeaturePlaces).EndObject()
	}
	w.EndArray().EndObject()
}
