package engine_test

import (
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/wire"
)

func BenchmarkCompileDefault(b *testing.B) {
	document := engine.DefaultPolicyJSON()
	b.ReportAllocs()
	for b.Loop() {
		compile(b, document)
	}
}

func BenchmarkDecideDefault(b *testing.B) {
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	facts := decodeFacts(b,
		[]byte(
			`{
				"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,"enquiries_6m":2,
				"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000
			}`))
	var d engine.Decision
	b.ReportAllocs()
	for b.Loop() {
		plan.Decide(facts, &d)
	}
}

func BenchmarkDecideAndWriteDefault(b *testing.B) {
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	facts := decodeFacts(b,
		[]byte(
			`{
				"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,"enquiries_6m":2,
				"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000
			}`))
	var d engine.Decision
	var w wire.Writer
	b.ReportAllocs()
	for b.Loop() {
		plan.Decide(facts, &d)
		w = wire.Writer{Buf: w.Buf[:0]}
		d.Write(&w, &engine.Envelope{Preview: true, Facts: facts})
	}
}
