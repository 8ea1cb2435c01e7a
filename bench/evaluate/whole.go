package evaluate

import (
	"fmt"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/report"
	"verdict/internal/wire"
)

// whole does the work of the service on the body of a request. It turns the body into
// the bytes of the answer and of the rows to store, but stores nothing.
type whole struct {
	plan     *engine.Plan
	decision engine.Decision
	vector   feature.Vector
	answer   []byte
	facts    []byte
}

func newWhole(policy []byte) *whole {
	p, err := engine.ParsePolicy(policy, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		panic(fmt.Sprintf("the benchmark's policy: %v", err))
	}
	return &whole{plan: engine.Compile(p, field.Catalogue())}
}

func (x *whole) evaluate(body []byte) {
	app := read(body)
	hash := x.features(app)
	x.decide(app, hash)
	keep(x.stored(app))
}

func (x *whole) features(app *application.Application) (hash string) {
	feature.Compute(feature.Catalogue1, app.History, app.Statement, app.AsOf, &x.vector)
	return x.vector.Hash()
}

// decide decides and writes the answer.
func (x *whole) decide(app *application.Application, hash string) {
	x.plan.Decide(app.Facts, &x.decision)
	w := wire.Writer{Buf: x.answer[:0]}
	x.decision.Write(&w, &engine.Envelope{
		DecisionID:    "dec_01k9x0000000000000000000000",
		PolicyID:      "pol_01k9x0000000000000000000000",
		PolicyVersion: 1,
		Environment:   "sandbox",
		CreatedAt:     "2026-11-15T10:00:00.000000Z",
		Warnings:      app.WarnAbsent(x.decision.AbsentInputs()),
		Blocks: func(w *wire.Writer) {
			w.Key("features").Object().Key("count").Int(feature.Count).Key("populated").Int(int64(x.vector.Populated()))
			w.Key("vector_hash").Plain(hash).Key("as_of").Plain(app.AsOf.String()).Key("top_contributors").Array()
			for _, index := range feature.Top(&x.vector, 10, nil) {
				value, _ := x.vector.Get(index)
				w.Object().Key("feature").Plain(feature.NameAt(index)).Key("value").Decimal(value, 4).EndObject()
			}
			w.EndArray().EndObject()
		},
	})
	x.answer = w.Buf
}

// stored returns the bytes that the service stores in addition to the answer: the
// facts, the vector, and the history and statement that the vector was computed
// from.
func (x *whole) stored(app *application.Application) (facts, vector, source []byte) {
	w := wire.Writer{Buf: x.facts[:0]}
	app.Facts.Write(&w)
	x.facts = w.Buf
	return x.facts, x.vector.Encode(nil), report.Archive(app.History, app.Statement)
}
