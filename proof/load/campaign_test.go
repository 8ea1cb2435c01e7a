package load

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// stage returns a step of a campaign in which all answers have the same
// latency.
func stage(percent int, good, refused int64, latency time.Duration) Step {
	r := &Result{
		Offered: float64(good + refused),
		Lasted:  time.Second,
		Due:     good + refused,
		Good:    good,
		GoodIn:  good,
		Refused: refused,
	}
	for i := range good {
		r.Latency.Add(latency)
		r.window(time.Duration(i) * time.Second / time.Duration(good)).Add(latency)
	}
	for range refused {
		r.Refusal.Add(latency)
	}
	return Step{Percent: percent, Result: r, Saturated: 1000}
}

func campaign() *Campaign {
	c := &Campaign{
		Rate: 1000, Plan: Plan{Back: 50}, Saturation: stage(0, 1000, 0, time.Millisecond).Result,
		Steps: []Step{stage(50, 500, 0, time.Millisecond), stage(150, 850, 650, 20*time.Millisecond),
			stage(200, 700, 1300, 20*time.Millisecond)},
		Back: stage(50, 500, 0, time.Millisecond), PeakMemory: 100 << 20,
	}
	c.recover()
	return c
}

// TestJudge checks that a campaign within all limits passes, and that each
// limit that is not met is reported.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		spoil      func(*Campaign)
	}{
		{"as it should be", "", func(*Campaign) {}},
		{"a lost decision", "are stored",
			func(c *Campaign) { c.Wrong = append(c.Wrong, "1 was answered and 0 are stored") }},
		{"goodput", "at 150 %: 450 good answers a second, less than 750",
			func(c *Campaign) { c.Steps[1] = stage(150, 450, 1050, 0) }},
		{"goodput in a flood", "at 200 %: 200 good answers a second, less than 650",
			func(c *Campaign) { c.Steps[2] = stage(200, 200, 1800, 0) }},
		{"slow refusals", "at 150 %: refusals take", func(c *Campaign) {
			c.Steps[1] = stage(150, 900, 600, 0)
			for range 20 {
				c.Steps[1].Refusal.Add(time.Second)
			}
		}},
		{"slow answers", "at 150 %: what is done takes", func(c *Campaign) {
			c.Steps[1] = stage(150, 900, 600, 0)
			for range 20 {
				c.Steps[1].Latency.Add(time.Second)
			}
		}},
		{"mute refusals", "3 refusals did not say", func(c *Campaign) { c.Steps[1].Mute = 3 }},
		{"late answers", "2 answers came after", func(c *Campaign) { c.Steps[0].Overtime = 2 }},
		{"no answers", "5 requests had no answer", func(c *Campaign) { c.Back.Lost, c.Back.Unsent = 2, 3 }},
		{"mistakes", "neither 200 nor a refusal, the first boom", func(c *Campaign) {
			c.Steps[0].Wrong, c.Steps[0].FirstWrong = 1,
				"boom"
		}},
		{"memory", "the server took 1024 MiB, more than 512", func(c *Campaign) { c.PeakMemory = 1 << 30 }},
		{"never recovered", "never again", func(c *Campaign) { c.Back = stage(50, 500, 0, time.Second) }},
		{"recovered late", "it took 6s", func(c *Campaign) { c.Recovery = 6 * time.Second }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			measured := campaign()
			c.spoil(measured)
			if c.name == "never recovered" {
				measured.Recovered = false
				measured.recover()
			}
			wrong := measured.Judge(DefaultLimits())
			if c.want == "" && len(wrong) > 0 ||
				c.want != "" && (len(wrong) != 1 || !strings.Contains(wrong[0], c.want)) {
				t.Errorf("got %q, want %q", wrong, c.want)
			}
		})
	}
}

// TestRecovery checks that recovery ends with the first window that is as good
// as the worst window before the overload.
func TestRecovery(t *testing.T) {
	t.Parallel()
	c := campaign()
	for i, latency := range []time.Duration{time.Second, 300 * time.Millisecond, time.Millisecond} {
		c.Back.Windows[i] = Histogram{}
		c.Back.Windows[i].Add(latency)
	}
	c.Recovered = false
	if c.recover(); !c.Recovered || c.Recovery != 2*window {
		t.Errorf("recovered %t after %s", c.Recovered, c.Recovery)
	}
}

// TestTableAndPicture checks that the table has a row for each stage, and that
// the picture is a standalone file.
func TestTableAndPicture(t *testing.T) {
	t.Parallel()
	c := campaign()
	rows := c.Table()
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if len(row) != len(rows[0]) {
			t.Errorf("%q has another width than the heading", row)
		}
	}
	if want := []string{"150 %", "1500", "850", "85 %", "43.3 %"}; !slices.Equal(rows[3][:5], want) {
		t.Errorf("the row is %q", rows[3])
	}
	picture := string(c.SVG())
	if !strings.HasPrefix(picture, "<svg") || !strings.Contains(picture[:200], "xmlns=") || !strings.Contains(picture,
		"<style>") {
		t.Errorf("the picture begins %.200s", picture)
	}
	if text := (Rounds{c}).Markdown([]string{"x"}); !strings.Contains(text, "Did not hold: x") || strings.Contains(text,
		"held.") {
		t.Errorf("the section says %s", text)
	}
}
