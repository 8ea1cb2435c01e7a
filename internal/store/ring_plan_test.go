package store_test

import (
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// manyRings inserts 20,000 rings, each of two applicants of manyLinks.
var manyRings = []string{
	`INSERT INTO fraud_rings (tenant_id, environment, id, people, links, truncated, muted_micros, created_micros)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 20000)
		SELECT 'ten_1', 'sandbox', 'rng-' || i, 2, 1, 0, 0, 1 FROM numbers`,
	`INSERT INTO fraud_ring_people (tenant_id, environment, person, ring_id, seen_micros, decision_id)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 40000)
		SELECT 'ten_1', 'sandbox', 'app-' || i, 'rng-' || ((i + 1) / 2), 1, '' FROM numbers`,
}

// TestRingReadsAreBounded checks that both databases use the indexes. PostgreSQL
// must read at most MaxRingPeople rows for each of two entities, however many
// people share them and however many rings there are.
func TestRingReadsAreBounded(t *testing.T) {
	t.Parallel()
	const now = 1_000_000_000_040_000
	o := store.Observation{ApplicantRef: "app-7", NowMicros: now, Entities: []store.ObservedEntity{
		{Kind: "account", Key: "large"}, {Kind: "device", Key: "small7"},
	}}
	w := store.Windows{Ties: map[string]int64{"account": 20_000, "device": 20_000}}
	queries, args := store.RingTexts(o, w)
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if kind == "sqlite" {
			execAll(t, tx, append([]string{manyLinks}, manyRings...)...)
			for i, text := range queries {
				plan := lines(t, tx, "EXPLAIN QUERY PLAN "+text, append([]any{"ten_1", "sandbox"}, args[i]...)...)
				if strings.Contains(plan, "SCAN fraud_") || strings.Contains(plan, "SCAN r") || strings.Contains(plan,
					"SCAN p") ||
					strings.Contains(plan, "TEMP B-TREE") {
					t.Error(plan)
				}
			}
			return
		}
		execAll(t, tx,
			append([]string{"SELECT set_config('verdict.role', 'system', true)", manyLinks}, manyRings...)...)
		execAll(t, tx, "SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE own AS "+queries[0],
			"PREPARE sharing AS "+queries[1], "ANALYZE fraud_links", "ANALYZE fraud_rings", "ANALYZE fraud_ring_people")
		for i, name := range []string{"own", "sharing"} {
			plan := lines(t, tx, "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE "+name+" "+literals(args[i]))
			if wantAtMost(t, plan, 2*store.MaxRingPeople) == 0 || strings.Contains(plan, "Seq Scan on fraud") {
				t.Errorf("%s:\n%s", name, plan)
			}
		}
	})
}
