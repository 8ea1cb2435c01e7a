package evaluate

import (
	"runtime"

	"verdict/bench/measure"
	"verdict/internal/application"
	"verdict/internal/feature"
	"verdict/internal/wire"
)

// The names of the contestants.
const (
	FeaturesOurs   = "features-ours"
	FeaturesLimit  = "features-limit"
	FeaturesPasses = "features-passes"
	HashedOurs     = "features-hashed-ours"
	HashedLimit    = "features-hashed-limit"
	DecodeOurs     = "decode-ours"
	DecodeParse    = "decode-parse"
	DecodeBy       = "decode-by-"    // followed by the name of a library
	DecodeAlone    = "decode-alone-" // followed by the name of a library; decodes into structs only
	Whole          = "evaluate"
	WholeFeatures  = "evaluate-features"
	WholeDecide    = "evaluate-decide"
	WholeStored    = "evaluate-stored"
)

// Contestants returns everything that this package measures. policy is the document of
// the policy that decides the requests.
func Contestants(policy []byte) []measure.Contestant {
	list := append(features(), decoders()...)
	return append(list,
		measure.Contestant{Name: Whole, Start: func() (func(int), int) {
			list, x := bodies(), newWhole(policy)
			return func(i int) { x.evaluate(list[i]) }, len(list)
		}},
		measure.Contestant{Name: WholeFeatures, Start: func() (func(int), int) {
			list, x := applications(), newWhole(policy)
			return func(i int) { x.features(list[i]) }, len(list)
		}},
		measure.Contestant{Name: WholeDecide, Start: func() (func(int), int) {
			list, x := applications(), newWhole(policy)
			hash := x.features(list[0])
			return func(i int) { x.decide(list[i], hash) }, len(list)
		}},
		measure.Contestant{Name: WholeStored, Start: func() (func(int), int) {
			list, x := applications(), newWhole(policy)
			x.features(list[0])
			return func(i int) { keep(x.stored(list[i])) }, len(list)
		}},
	)
}

func features() []measure.Contestant {
	// each returns a contestant that calls the function on every request.
	each := func(name string, start func() func(app *application.Application)) measure.Contestant {
		return measure.Contestant{Name: name, Start: func() (func(int), int) {
			list, f := applications(), start()
			return func(i int) { f(list[i]) }, len(list)
		}}
	}
	return []measure.Contestant{
		each(FeaturesOurs, func() func(*application.Application) {
			v := new(feature.Vector)
			return func(app *application.Application) {
				feature.Compute(feature.Catalogue1, app.History, app.Statement, asOf, v)
			}
		}),
		each(HashedOurs, func() func(*application.Application) {
			v := new(feature.Vector)
			return func(app *application.Application) {
				feature.Compute(feature.Catalogue1, app.History, app.Statement, asOf, v)
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

func decoders() []measure.Contestant {
	each := func(name string, f func(body []byte)) measure.Contestant {
		return measure.Contestant{Name: name, Start: func() (func(int), int) {
			list := bodies()
			return func(i int) { f(list[i]) }, len(list)
		}}
	}
	list := []measure.Contestant{
		each(DecodeOurs, func(body []byte) { keep(read(body)) }),
		each(DecodeParse, func(body []byte) {
			v, err := wire.Parse(body)
			keep(err)
			v.Free()
		}),
	}
	for _, l := range libraries() {
		list = append(list,
			each(DecodeBy+l.name, func(body []byte) { keep(extract(l.decode(body))) }),
			each(DecodeAlone+l.name, func(body []byte) { keep(l.decode(body)) }))
	}
	return list
}

// keep uses the results, so that the compiler cannot remove the work.
func keep(results ...any) { runtime.KeepAlive(results) }
