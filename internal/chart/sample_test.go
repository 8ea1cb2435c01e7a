package chart_test

import (
	"math"

	"verdict/internal/chart"
)

// hostile is a text that must be escaped, so that it does not become markup.
const hostile = `</title><script>alert("x")</script>&'` + "\x00\x1b\u202e\xff"

// samples returns the pictures of the golden files: at least one of each kind,
// small enough to check visually.
func samples() map[string]chart.Picture {
	return map[string]chart.Picture{
		"roc": chart.Line{
			Head: chart.Head{
				ID:          "roc",
				Title:       "ROC curve",
				Description: "AUC 0.742: bads are found well before goods.",
			},
			X: chart.Axis{Label: "Share of goods refused", Unit: chart.Percent, To: 1},
			Y: chart.Axis{Label: "Share of bads refused", Unit: chart.Percent, To: 1},
			Series: []chart.Series{{
				Area: true,
				Points: []chart.Point{
					{X: 0, Y: 0},
					{X: 0.05, Y: 0.25},
					{X: 0.2, Y: 0.55},
					{X: 0.5, Y: 0.85},
					{X: 1, Y: 1},
				},
			}}, Diagonal: true,
		},
		"ks": chart.Line{
			Head: chart.Head{Title: "KS curves", Description: "The gap is widest at 662."},
			X:    chart.Axis{Label: "Score", Unit: chart.Score},
			Y:    chart.Axis{Label: "Share at or below", Unit: chart.Percent, To: 1}, Series: []chart.Series{
				{
					Name:   "good",
					Tone:   chart.Blue,
					Points: []chart.Point{{X: 500, Y: 0}, {X: 600, Y: 0.1}, {X: 662, Y: 0.28}, {X: 800, Y: 1}},
				},
				{
					Name:   "bad",
					Tone:   chart.Orange,
					Dashed: true,
					Points: []chart.Point{{X: 500, Y: 0}, {X: 600, Y: 0.4}, {X: 662, Y: 0.65}, {X: 800, Y: 1}},
				},
			},
			Gaps: []chart.Gap{{X: 662, From: 0.28, To: 0.65, Label: "KS 0.371 at 662"}},
		},
		"volume": chart.Spark{
			Head: chart.Head{ID: "volume", Title: "Decisions by day"},
			Unit: chart.Count, Of: "Day", Labels: []string{"12 Nov", "13 Nov", "14 Nov", "15 Nov"},
			Layers: []chart.Layer{
				{Name: "Approved", Tone: chart.Approved, Values: []float64{120, 90, 0, 40}},
				{Name: "Declined", Tone: chart.Declined, Values: []float64{60, 80, 0, 10}},
			},
			Before: []float64{100, 150, 160, 140}, Earlier: "4 days before",
		},
		"rate": chart.Spark{
			Head: chart.Head{Title: "Approval rate by day"},
			Unit: chart.Percent, Of: "Day", Labels: []string{"11 Nov", "12 Nov", "13 Nov", "14 Nov", "15 Nov"},
			Line: &chart.Layer{Name: "Approved", Tone: chart.Blue,
				Values: []float64{0.61, 0.63, math.NaN(), 0.58, 0.6}},
			Before: []float64{0.6, math.NaN(), 0.61, math.NaN(), 0.66},
		},
		"distribution": chart.Columns{
			Head: chart.Head{Title: "Score distribution"},
			X:    chart.Axis{Label: "Score", Unit: chart.Score}, Y: chart.Axis{Label: "Applications"},
			From: 560, Step: 20,
			Layers: []chart.Layer{
				{Name: "bad", Tone: chart.Orange, Values: []float64{30, 44, 61, 50, 33, 21, 12, 5, 2}},
				{Name: "good", Tone: chart.Blue, Values: []float64{20, 80, 190, 320, 410, 380, 270, 120, 40}},
				{Name: "unlabelled", Tone: chart.Grey, Values: []float64{90, 70, 60, 30, 20, 10, 5}},
			},
		},
		"usage": chart.Columns{
			Head: chart.Head{Title: "Calls a day"}, Y: chart.Axis{Label: "Calls"},
			Labels: []string{"1 Aug", "2 Aug", "3 Aug", "4 Aug", "5 Aug", "6 Aug", "7 Aug"},
			Layers: []chart.Layer{{Values: []float64{120000, 180000, 90000, 0, 240000, 210000, 150000}}},
		},
		"reasons": chart.Bars{
			Head: chart.Head{Title: "Why applications were declined"}, Of: "Reason",
			Parts: []chart.Part{{Name: "this one alone", Tone: chart.Orange}, {Name: "with others", Tone: chart.Grey}},
			Rows: []chart.Bar{
				{Label: "BUR_SCORE", Values: []float64{80, 40}},
				{Label: "FOIR_TOO_HIGH", Values: []float64{32, 61}},
				{Label: "A_RULE_WITH_A_NAME_FAR_TOO_LONG_FOR_ANY_SCREEN_ON_EARTH_OR_ABOVE", Values: []float64{1, 0}},
			},
		},
		"groups": chart.Bars{
			Head: chart.Head{Title: "Approval by group"}, Of: "Group", Unit: chart.Percent, Full: 1, Mark: 0.5,
			Rows: []chart.Bar{
				{Label: "women", Values: []float64{0.61}},
				{Label: "men", Values: []float64{0.58}},
				{Label: "(blank)", Values: []float64{0.43}, Text: "43.0 % · below four fifths"},
			},
		},
		"outcome": chart.Share{
			Head: chart.Head{Title: "What became of the applications"},
			Slices: []chart.Slice{
				{Name: "Approved", Value: 612},
				{Name: "Referred", Tone: chart.Grey, Value: 88},
				{Name: "Declined", Tone: chart.Orange, Value: 297},
			},
		},
		"score": chart.Waterfall{
			Head: chart.Head{Title: "How the score came about"}, Unit: chart.Score, Begin: "Base points",
			End: "Final score", Base: 650, Steps: []chart.Step{
				{Label: "Bureau score 720–759", Value: 48},
				{Label: "FOIR above 0.50", Value: -31},
				{Label: "No enquiries", Value: 12},
				{Label: "Nothing to say", Value: 0},
			},
		},
		"calibration": chart.Dots{
			Head: chart.Head{
				Title:       "Calibration",
				Description: "Points above the line went bad more often than the scorecard claims.",
			},
			X: chart.Axis{Label: "Claimed", Unit: chart.Percent}, Y: chart.Axis{Label: "Observed", Unit: chart.Percent},
			NoteName: "loans", Diagonal: true,
			Dots: []chart.Dot{
				{X: 0.01, Y: 0.012, Low: 0.004, High: 0.03, Note: "100"},
				{X: 0.04, Y: 0.06, Low: 0.03, High: 0.11, Note: "100"},
				{X: 0.18, Y: 0.21, Low: 0.14, High: 0.3, Note: "100"},
			},
		},
		"swaps": chart.Matrix{
			Head: chart.Head{Title: "Swap matrix"}, RowTitle: "Today", ColumnTitle: "Challenger",
			Rows: []string{"Approved", "Referred", "Declined"}, Columns: []string{"Approved", "Referred", "Declined"},
			Cells: [][]chart.Cell{
				{{Value: 580}, {Value: 4, Tone: chart.Orange}, {Value: 28, Tone: chart.Orange, Note: "11.1 % bad"}},
				{{Value: 9, Tone: chart.Teal}, {Value: 70}, {Value: 9, Tone: chart.Orange}},
				{{Value: 32, Tone: chart.Teal, Note: "6.0 % bad"}, {Value: 0}, {Value: 265}},
			},
		},
		"fraud": chart.Ring{
			Head: chart.Head{Title: "Who shares what"},
			Nodes: []chart.Node{
				{Label: "•••4821", Kind: "account", Inner: true},
				{Label: "110001 Lane 4", Kind: "address", Inner: true}, {Label: "A-17", Kind: "agent", Inner: true}, {
					Label: "CUST-1",
					Kind:  "applicant",
				}, {Label: "CUST-2", Kind: "applicant"}, {Label: "CUST-3", Kind: "applicant"}, {
					Label: "CUST-4",
					Kind:  "applicant",
				}, {Label: "CUST-5", Kind: "applicant"}, {Label: "CUST-6", Kind: "applicant"},
			},
			Links: []chart.Link{
				{From: 0, To: 3},
				{From: 0, To: 4},
				{From: 0, To: 5},
				{From: 1, To: 5},
				{From: 1, To: 6},
				{From: 2, To: 7},
				{From: 2, To: 8},
				{From: 2, To: 3},
			},
		},
		"regions": chart.TileMap{
			Head: chart.Head{Title: "Pincode risk by region"}, Of: "Region",
			Parts: []chart.Part{
				{Name: "Low", Tone: chart.Teal},
				{Name: "High", Tone: chart.Orange},
				{Name: "Blocked", Tone: chart.Violet},
			},
			Tiles: []chart.Tile{
				{Column: 1, Label: "11", Name: "Delhi", Values: []float64{4, 2}},
				{Column: 0, Row: 1, Label: "40", Name: "Mumbai", Values: []float64{0, 0, 1}},
				{Column: 2, Row: 1, Label: "70", Name: "Kolkata", Values: []float64{3}},
				{Column: 1, Row: 2, Label: "60", Name: "Chennai"},
			},
		},
		"flow": chart.Flow{
			Head:  chart.Head{ID: "flow", Title: "What the policy does", Description: "Of the last 30 days."},
			Begin: 1234,
			Noun:  "applications",
			Stages: []chart.Stage{
				{
					Label: "Knockouts", Note: "14 rules",
					Lines: []string{"KO_FOIR_HIGH 52", "KO_A_RULE_WITH_A_VERY_LONG_NAME 12"},
					Exits: []string{"52 declining hits", "12 referring hits"}, Link: "#at-knockouts", Alarm: "2 errors",
				},
				{Label: "Score", Note: "9 factors", Link: "/console/live/policies/pol_1/edit#at-scorecard"},
				{Label: "Offer", Note: "no caps", Link: "https://elsewhere.example"},
			},
			Ends: []chart.End{
				{Name: "Approved", Tone: chart.Teal, Value: 900},
				{Name: "Referred", Tone: chart.Orange, Value: 34},
				{Name: "Declined", Tone: chart.Grey, Value: 300},
			},
		},
	}
}

// awkward returns pictures of extreme data with hostile labels.
func awkward(values []float64) []chart.Picture {
	head := chart.Head{ID: hostile, Title: hostile, Description: hostile}
	axis := chart.Axis{Label: hostile, Unit: chart.Rupees}
	line := chart.Line{Head: head, X: axis, Y: axis, Diagonal: true, Gaps: []chart.Gap{{X: math.NaN(), Label: hostile}}}
	columns := chart.Columns{Head: head, X: axis, Y: axis, Layers: []chart.Layer{{Name: hostile, Values: values}}}
	histogram := columns
	bars := chart.Bars{Head: head, Of: hostile, Parts: []chart.Part{{Name: hostile}}}
	share := chart.Share{Head: head}
	fall := chart.Waterfall{Head: head, Begin: hostile, End: hostile}
	dots := chart.Dots{Head: head, X: axis, Y: axis, NoteName: hostile, Diagonal: true}
	matrix := chart.Matrix{Head: head, RowTitle: hostile, ColumnTitle: hostile, Columns: []string{hostile}}
	ring := chart.Ring{Head: head}
	flow := chart.Flow{Head: head, Noun: hostile}
	tiles := chart.TileMap{Head: head, Of: hostile, Parts: []chart.Part{{Name: hostile}, {Name: ""}}}
	var points []chart.Point
	for i, v := range values {
		next := values[(i+1)%len(values)]
		points = append(points, chart.Point{X: v, Y: next})
		line.Gaps = append(line.Gaps, chart.Gap{X: v, From: next, To: v, Label: hostile})
		columns.Labels = append(columns.Labels, hostile)
		histogram.From, histogram.Step = v, next
		bars.Rows = append(bars.Rows, chart.Bar{Label: hostile, Text: hostile, Values: []float64{v}})
		bars.Full, bars.Mark = next, v
		share.Slices = append(share.Slices, chart.Slice{Name: hostile, Value: v})
		fall.Base = next
		fall.Steps = append(fall.Steps, chart.Step{Label: hostile, Value: v})
		dots.Dots = append(dots.Dots, chart.Dot{X: v, Y: next, Low: next, High: v, Note: hostile})
		matrix.Rows = append(matrix.Rows, hostile)
		matrix.Cells = append(matrix.Cells, []chart.Cell{{Value: v, Note: hostile, Tone: chart.Tone(i)}})
		ring.Nodes = append(ring.Nodes,
			chart.Node{Label: hostile, Kind: hostile, Inner: v > 0, Link: "/console/" + hostile})
		ring.Links = append(ring.Links, chart.Link{From: i, To: i + 1}, chart.Link{From: -1, To: i})
		flow.Begin, flow.Ends = v, append(flow.Ends, chart.End{Name: hostile, Value: v, Tone: chart.Tone(i)})
		flow.Stages = append(flow.Stages, chart.Stage{
			Label: hostile, Note: hostile, Lines: []string{hostile}, Exits: []string{hostile, hostile, hostile},
			Link: "#" + hostile, Alarm: hostile,
		})
		tiles.Tiles = append(tiles.Tiles,
			chart.Tile{Column: i%12 - 1, Row: i / 12, Label: hostile, Name: hostile, Values: []float64{v, next, v}})
	}
	spark := chart.Spark{Head: head, Unit: chart.Millis, Of: hostile, Labels: columns.Labels, Layers: columns.Layers,
		Before: values, Earlier: hostile}
	wave := spark
	wave.Line = &chart.Layer{Name: hostile, Values: values}
	line.Series = []chart.Series{{Name: hostile, Area: true, Points: points}, {Points: points[:len(points)/2]}}
	return []chart.Picture{line, columns, histogram, bars, share, fall, dots, matrix, ring, tiles, flow, spark, wave}
}
