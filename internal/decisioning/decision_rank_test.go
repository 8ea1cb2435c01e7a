package decisioning

import (
	"slices"
	"testing"
)

// TestSortByRank checks the order of ranked decisions: those without the value come last in both directions, and of
// equal decisions the newest comes first.
func TestSortByRank(t *testing.T) {
	t.Parallel()
	row := func(id string, known bool, points, asked, offered int64) DecisionRow {
		return DecisionRow{
			DecisionSummary: DecisionSummary{ID: id},
			Known:           known,
			points:          points,
			AskedPaise:      asked,
			LimitPaise:      offered,
		}
	}
	newest := []DecisionRow{
		row("e", true, 700, 500, 0), row("d", false, 0, 0, 0), row("c", true, -5, 900, 300),
		row("b", true, 700, 100, 300), row("a", true, 710, 0, 200),
	}
	for _, c := range []struct {
		by     Rank
		lowest bool
		want   string
	}{
		{RankScore, false, "aebcd"},
		{RankScore, true, "cebad"},
		{RankAsked, false, "cebda"},
		{RankAsked, true, "becda"},
		{RankOffered, false, "cbaed"},
		{RankOffered, true, "acbed"},
	} {
		rows := slices.Clone(newest)
		sortByRank(rows, c.by, c.lowest)
		got := ""
		for _, r := range rows {
			got += r.ID
		}
		if got != c.want {
			t.Errorf("by %s, lowest first %v: got %s, want %s", c.by, c.lowest, got, c.want)
		}
	}
}
