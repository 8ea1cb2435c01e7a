package training

import (
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Rounded returns a figure with six decimals, as the report writes it.
func Rounded(x float64) rule.Number { return number(x, rule.Places) }

// fraction writes a member rounded to six decimals.
func fraction(w *wire.Writer, key string, x float64) {
	w.Key(key).Decimal(int64(Rounded(x)), rule.Places)
}

// WriteInputs writes the inputs that a policy must declare to use the card.
func (r *Result) WriteInputs(w *wire.Writer) {
	w.Array()
	for _, in := range r.Inputs {
		w.Object().Key("name").String(in.Name).Key("type").String(in.Type.String()).EndObject()
	}
	w.EndArray()
}

// Write writes the report as JSON.
func (r *Report) Write(w *wire.Writer) {
	w.Object().Key("rows_total").Int(r.RowsTotal).Key("rows_malformed").Int(r.RowsMalformed)
	w.Key("rows_unlabelled").Int(r.RowsUnlabelled).Key("rows_indeterminate").Int(r.RowsIndeterminate).Key(
		"method").String(r.Setting)
	w.Key("train")
	r.Train.write(w)
	w.Key("holdout")
	if r.HasHoldOut {
		r.HoldOut.write(w)
		fraction(w, "psi_score", r.ScorePSI)
	} else {
		w.Null().Key("psi_score").Null()
	}
	w.Key("features").Array()
	for i := range r.Features {
		r.Features[i].write(w, r.HasHoldOut)
	}
	w.EndArray().Key("dropped").Array()
	for _, d := range r.Dropped {
		writeRemark(w, d.Column, d.Code, d.Detail)
	}
	w.EndArray().Key("warnings").Array()
	for _, n := range r.Warnings {
		writeRemark(w, n.Column, n.Code, n.Detail)
	}
	w.EndArray().Key("notes").Array()
	for _, n := range r.Notes {
		n.write(w)
	}
	w.EndArray().Key("trials").Array()
	for _, t := range r.Trials {
		w.Object()
		fraction(w, "bin_penalty", t.Penalty)
		fraction(w, "hold", t.Hold)
		fraction(w, "auc", t.AUC)
		w.Key("chosen").Bool(t.Chosen).EndObject()
	}
	w.EndArray().Key("map").Object()
	for _, f := range r.Fields {
		w.Name(f.Column).String(f.Field)
	}
	w.EndObject().EndObject()
}

func (n *Note) write(w *wire.Writer) {
	w.Object()
	if n.Column != "" {
		w.Key("column").String(n.Column)
	}
	w.Key("code").String(n.Code).Key("detail").String(n.Detail)
	if n.Count > 0 {
		w.Key("count").Int(n.Count)
	}
	w.EndObject()
}

func writeRemark(w *wire.Writer, column, code, detail string) {
	w.Object()
	if column != "" {
		w.Key("column").String(column)
	}
	w.Key("code").String(code)
	if detail != "" {
		w.Key("detail").String(detail)
	}
	w.EndObject()
}

func (m *Measure) write(w *wire.Writer) {
	w.Object().Key("count").Int(m.Rows).Key("bad").Int(m.Bad)
	fraction(w, "bad_rate", m.BadRate)
	fraction(w, "avg_score", m.AverageScore)
	for _, x := range []struct {
		key   string
		value float64
	}{{"auc", m.AUC}, {"gini", m.Gini}, {"ks", m.KS}} {
		if m.Measured {
			fraction(w, x.key, x.value)
		} else {
			w.Key(x.key).Null()
		}
	}
	w.EndObject()
}

func (f *Feature) write(w *wire.Writer, held bool) {
	w.Object().Key("column").String(f.Column).Key("field").String(f.Field).Key("type").String(f.Type)
	fraction(w, "iv", f.IV)
	w.Key("iv_band").String(f.Band).Key("trend").String(f.Shape)
	fraction(w, "coefficient", f.Coefficient)
	fraction(w, "vif", f.VIF)
	if held {
		fraction(w, "psi", f.PSI)
	} else {
		w.Key("psi").Null()
	}
	w.Key("sign_reversal").Bool(f.Reversed)
	w.Key("bins").Array()
	for i := range f.Bins {
		b := &f.Bins[i]
		w.Object().Key("label").String(b.Label).Key("kind").String(b.Kind)
		w.Key("count").Int(b.Rows).Key("good").Int(b.Good).Key("bad").Int(b.Bad)
		fraction(w, "share", b.Share)
		fraction(w, "bad_rate", b.BadRate)
		fraction(w, "woe", b.WOE)
		fraction(w, "iv", b.IV)
		w.Key("points").Decimal(int64(b.Points), rule.Places)
		if held {
			w.Key("holdout_count").Int(b.HoldOutRows)
			fraction(w, "holdout_bad_rate", b.HoldOutBadRate)
		}
		w.EndObject()
	}
	w.EndArray().EndObject()
}
