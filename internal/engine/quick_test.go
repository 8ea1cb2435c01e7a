package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

func TestQuick(t *testing.T) {
	plan := Compile(DefaultPolicy(), field.Catalogue())
	for _, s := range []string{
		`{"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000}`,
		`{"bureau_score":781,"bureau_is_ntc":false}`,
		`{"bureau_score":560,"bureau_is_ntc":false}`,
		`{"bureau_is_ntc":true}`,
		`{"bureau_is_ntc":true,"monthly_income":45000,"foir":0.10,"enquiries_6m":1,"active_tradelines":0,"employment_type":"SALARIED"}`,
	} {
		v, _ := wire.Parse([]byte(s))
		f, err := rule.ReadFacts(v, field.Catalogue())
		if err != nil {
			t.Fatal(err)
		}
		var d Decision
		plan.Decide(f, &d)
		var w wire.Writer
		d.Write(&w, &Envelope{})
		var b bytes.Buffer
		json.Indent(&b, w.Buf, "", " ")
		fmt.Println(b.String())
	}
	if string(DefaultPolicy().Document()) == "" {
		t.Fatal()
	}
	p2, err := ParsePolicy(DefaultPolicy().Document(), Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(p2.Document(), DefaultPolicy().Document()) {
		t.Fatal("document not stable")
	}
}

func BenchmarkCompileDefault(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := ParsePolicy(defaultPolicyJSON, Sources{Catalogue: field.Catalogue()})
		if err != nil {
			b.Fatal(err)
		}
		Compile(p, field.Catalogue())
	}
}

func BenchmarkDecideDefault(b *testing.B) {
	plan := Compile(DefaultPolicy(), field.Catalogue())
	v, _ := wire.Parse([]byte(`{"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000}`))
	f, _ := rule.ReadFacts(v, field.Catalogue())
	var d Decision
	b.ReportAllocs()
	for b.Loop() {
		plan.Decide(f, &d)
	}
}
