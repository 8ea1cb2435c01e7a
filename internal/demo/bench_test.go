package demo_test

import (
	"testing"
	"time"

	"verdict/internal/demo"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func BenchmarkFill(b *testing.B) {
	for b.Loop() {
		o := quick()
		o.Decisions, o.Now = 3000, time.Now()
		db := storetest.Open(b, storetest.SQLite(b), store.Options{})
		if _, err := demo.Fill(b.Context(), db, o); err != nil {
			b.Fatal(err)
		}
	}
}
