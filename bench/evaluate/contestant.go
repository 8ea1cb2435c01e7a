package evaluate

import (
	"runtime"

	"verdict/internal/application"
	"verdict/internal/feature"
	"verdict/internal/wire"
)

// Contestant is one thing that is measured. Start prepares all that is not
// measured and returns one unit of work, to be done for each of count inputs.
type Contestant struct {
	Name  string
	Start func() (work func(i int), count int)
}

// The names of the contestants.
const (
	FeaturesOurs    = "features-ours"
	FeaturesLimit   = "features-limit"
	FeaturesPasses  = "features-passes"
	HashedOurs      = "features-hashed-ours"
	HashedLimit     = "features-hashed-limit"
	DecodeOurs      = "decode-ours"
	DecodeParse     = "decode-parse"
	DecodeJSON      = "decode-json"
	DecodeJSONAlone = "decode-json-alone"
	DecodeV2        = "decode-jsonv2"
	Whole           = "evaluate"
	WholeFeatures   = "evaluate-features"
	WholeDecide     = "evaluate-decide"
	WholeStored     = "evaluate-stored"
)

// decodeV2 is encoding/json/v2's way, nil unless the program has it.
var decodeV2 func(body []byte) *request

// HasV2 reports whether the program was built with encoding/json/v2.
func HasV2() bool { return decodeV2 != nil }

// Contestants are all that is measured here; policy is what requests are
// decided by.
func Contestants(policy []byte) []Contestant {
	list := append(features(), decoders()...)
	return append(list,
		Contestant{Whole, func() (func(int), int) {
			list, x := bodies(), newWhole(policy)
			return func(i int) { x.evaluate(list[i]) }, len(list)
		}},
		Contestant{WholeFeatures, func() (func(int), int) {
			list, x := applications(), newWhole(policy)
			return func(i int) { x.features(list[i]) }, len(list)
		}},
		Contestant{WholeDecide, func() (func(int), int) {
			list, x := applications(), newWhole(policy)
			hash := x.features(list[0])
			return func(i int) { x.decide(list[i], hash) }, len(list)
		}},
		Contestant{WholeStored, func() (func(int), int) {
			list, x := applications(), newWhole(policy)
			x.features(list[0])
			return func(i int) { keep(x.stored(list[i])) }, len(list)
		}},
	)
}

func features() []Contestant {
	// each makes a contestant of a function of one request.
	each := func(name string, start func() func(app *application.Application)) Contestant {
		return Contestant{name, func() (func(int), int) {
			list, f := applications(), start()
			return func(i int) { f(list[i]) }, len(list)
		}}
	}
	return []Contestant{
		each(FeaturesOurs, func() func(*application.Application) {
			v := new(feature.Vector)
			return func(app *application.Application) { feature.Compute(app.History, app.Statement, asOf, v) }
		}),
		each(HashedOurs, func() func(*application.Application) {
			v := new(feature.Vector)
			return func(app *application.Application) {
				feature.Compute(app.History, app.Statement, asOf, v)
				keep(v.Hash())
			}
		}),
		each(FeaturesLimit, func() func(*application.Application) {
			l := new(limit)
			return func(app *application.Application) { l.compute(app.History, app.Statement) }
		}),
		each(HashedLimit, func() func(*application.Application) {
			l, h := new(limit), newLimitHash()
			return func(app *application.Application) {
				l.compute(app.History, app.Statement)
				keep(h.sum(&l.vector))
			}
		}),
		each(FeaturesPasses, func() func(*application.Application) {
			list, v := peerFeatures(), new(limitVector)
			return func(app *application.Application) {
				p := newPeer(app.History, app.Statement)
				for i := range list {
					v.values[i], v.known[i] = list[i].value(p)
				}
			}
		}),
	}
}

func decoders() []Contestant {
	each := func(name string, f func(body []byte)) Contestant {
		return Contestant{name, func() (func(int), int) {
			list := bodies()
			return func(i int) { f(list[i]) }, len(list)
		}}
	}
	list := []Contestant{
		each(DecodeOurs, func(body []byte) { keep(read(body)) }),
		each(DecodeParse, func(body []byte) {
			v, err := wire.Parse(body)
			keep(err)
			v.Free()
		}),
		each(DecodeJSON, func(body []byte) { keep(extract(decode(body))) }),
		each(DecodeJSONAlone, func(body []byte) { keep(decode(body)) }),
	}
	if HasV2() {
		list = append(list, each(DecodeV2, func(body []byte) { keep(extract(decodeV2(body))) }))
	}
	return list
}

// keep takes a result, so that no compiler drops the work.
func keep(results ...any) { runtime.KeepAlive(results) }
