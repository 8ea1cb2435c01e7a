package console

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"verdict/internal/chart"
	"verdict/internal/fault"
	"verdict/internal/frauddesk"
	"verdict/internal/rule"
	"verdict/internal/signal"
)

// pincodeRow is an entry of the pincode table with the texts that the page shows.
type pincodeRow struct {
	Pincode, Risk, Score, Reason string
	UpdatedMicros, ExpiresMicros int64
	Over                         bool // whether the entry has expired
}

// pincodes renders the tenant's entries of pincode risk, with a map above the list.
func (p *fraudPages) pincodes(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := p.fraud.PincodeRisks(v.ctx, v.caller(), frauddesk.PincodeFilter{
		Prefix: filters.Value("prefix"), Risk: filters.Value("class"),
	}, list)
	if err != nil {
		return err
	}

	regions, err := p.fraud.PincodeRegions(v.ctx, v.caller())
	if err != nil {
		return err
	}

	now := p.now().UnixMicro()
	var rows []pincodeRow
	for _, e := range page.Data {
		rows = append(rows, pincodeRow{
			Pincode:       e.Pincode,
			Risk:          string(e.Risk),
			Score:         e.Score.String(),
			Reason:        e.Reason,
			UpdatedMicros: e.UpdatedMicros,
			ExpiresMicros: e.ExpiresMicros,
			Over:          e.ExpiresMicros != 0 && e.ExpiresMicros <= now,
		})
	}

	counts := make([]regionCount, len(regions))
	for i, r := range regions {
		counts[i] = regionCount{
			r.Digits,
			[]float64{float64(r.Low), float64(r.Medium), float64(r.High), float64(r.Blocked)},
		}
	}

	return v.render("pincodes", "Pincode risk", struct {
		Filters *form
		Classes []option
		Risks   []option
		Rows    []pincodeRow
		Pager   pager
		Default string
		Map     chart.TileMap
		Mapped  bool
	}{
		Filters: filters,
		Classes: stateOptions(signal.Risks()),
		Risks:   riskOptions(),
		Rows:    rows,
		Pager:   v.pager(page.NextCursor),
		Default: string(page.DefaultRisk),
		Map:     regionMap(counts),
		Mapped:  len(counts) > 0,
	})
}

func riskOptions() []option {
	var list []option
	for _, class := range signal.Risks() {
		list = append(list, option{Value: class, Label: sentenceCase(strings.ToLower(class))})
	}
	return list
}

// setPincode adds an entry, or replaces the entry with the same digits.
func (p *fraudPages) setPincode(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.pincodes)
	}

	var faults fault.List
	expires := day(&faults, "/expires_at", v.form.Value("expires_at"))
	entry := signal.PincodeRisk{
		Pincode: v.form.Value("pincode"),
		Risk:    signal.Risk(v.form.Value("risk")),
		Reason:  v.form.Value("reason"),
	}
	entry.Score = entry.Risk.Score()
	if text := v.form.Value("risk_score"); text != "" {
		if score, ok := decimal(&faults, "/risk_score", text, rule.Places); ok {
			entry.Score = rule.Number(score)
		}
	}
	if !expires.IsZero() { // the entry applies until the end of that day
		entry.ExpiresMicros = expires.AddDate(0, 0, 1).UnixMicro()
	}
	entry.Check(faults.Check(""))
	if err := faults.Err(); err != nil {
		return v.redraw(err, p.pincodes)
	}

	return p.keepPincodes(v, []signal.PincodeRisk{entry}, false, "The entry was saved.")
}

func (p *fraudPages) removePincode(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.pincodes)
	}

	var faults fault.List
	entry := signal.PincodeRisk{Pincode: v.form.Value("pincode"), Remove: true}
	entry.Check(faults.Check(""))
	if err := faults.Err(); err != nil {
		return v.redraw(err, p.pincodes)
	}

	return p.keepPincodes(v, []signal.PincodeRisk{entry}, false, "The entry was removed.")
}

// setPincodes saves all lines of a pasted table, or none if any line has a fault.
func (p *fraudPages) setPincodes(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.pincodes)
	}

	entries, err := pastedEntries(v.form.Value("lines"), "/lines")
	if err != nil {
		return v.redraw(err, p.pincodes)
	}

	return p.keepPincodes(v, entries, v.form.Value("replace") != "", savedEntries(len(entries)))
}

func savedEntries(n int) string { return plural(n, "entry was saved.", "entries were saved.") }

// pastedEntries reads a table of pincodes. It reports the faults of all lines at field, which is a JSON pointer.
func pastedEntries(text, field string) ([]signal.PincodeRisk, error) {
	var faults fault.List
	lines := pastedLines(text)
	if len(lines) == 0 {
		faults.Add(field, fault.CodeRequired, "has no line with a pincode")
		return nil, faults.Err()
	}

	entries := make([]signal.PincodeRisk, len(lines))
	for i, l := range lines {
		entries[i] = l.entry()
	}
	signal.CheckPincodeRisks(&faults, entries)
	return entries, atLines(faults.Err(), lines, field)
}

// pincodeFields are the fields of the form before the file.
var pincodeFields = []string{"replace", "confirm"}

// maxPincodeFile is the maximum size of a file of pincodes, in bytes. Such a file has at most signal.MaxPincodeEntries
// lines.
const maxPincodeFile = 2 << 20

// uploadPincodes saves all lines of a CSV file, or none if any line has a fault.
func (p *fraudPages) uploadPincodes(v *visit) error {
	saved := 0
	return v.receiveFile(pincodeFields, p.pincodes, func(ctx context.Context, file io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(file, maxPincodeFile+1))
		if err != nil {
			return uploadFault(err)
		}
		if len(text) > maxPincodeFile {
			var faults fault.List
			faults.Add("/file", fault.CodeTooMany, "is larger than 2 MiB; split it")
			return faults.Err()
		}
		entries, err := pastedEntries(string(text), "/file")
		if err != nil {
			return err
		}
		saved = len(entries)
		_, err = p.fraud.SetPincodeRisks(ctx, v.caller(), entries, v.form.Value("replace") != "")
		return inUploaded(err)
	}, func() error { return v.done(savedEntries(saved), "/fraud/pincodes") })
}

func (p *fraudPages) keepPincodes(v *visit, entries []signal.PincodeRisk, replace bool, said string) error {
	if _, err := p.fraud.SetPincodeRisks(v.ctx, v.caller(), entries, replace); err != nil {
		return v.redraw(err, p.pincodes)
	}
	return v.done(said, "/fraud/pincodes")
}

// pastedLine is a line of a pasted table: a pincode, optionally a class or a score, and optionally
// a reason.
type pastedLine struct {
	number                int
	pincode, risk, reason string
}

// pastedLines reads lines pasted from a spreadsheet or a CSV file. Lines that do not begin with a
// digit, such as headings and blank lines, are skipped.
func pastedLines(text string) []pastedLine {
	var list []pastedLine
	number := 0
	for line := range strings.Lines(text) {
		number++
		cells := strings.SplitN(strings.NewReplacer("\t", ",", ";", ",").Replace(strings.TrimSpace(line)), ",", 3)
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), `"`)
		}
		if cells[0] == "" || cells[0][0] < '0' || cells[0][0] > '9' {
			continue
		}

		l := pastedLine{number: number, pincode: cells[0]}
		if len(cells) > 1 {
			l.risk = strings.ToUpper(cells[1])
		}
		if len(cells) > 2 {
			l.reason = cells[2]
		}

		list = append(list, l)
	}

	return list
}

// entry returns the entry of the line. A line without a class, or with a dash as the class,
// removes the entry.
func (l pastedLine) entry() signal.PincodeRisk {
	e := signal.PincodeRisk{
		Pincode: l.pincode,
		Reason:  l.reason,
	}
	var faults fault.List
	score, scored := decimal(&faults, "", l.risk, rule.Places)
	switch {
	case l.risk == "" || l.risk == "-":
		return signal.PincodeRisk{Pincode: e.Pincode, Remove: true}
	case scored:
		e.Score = rule.Number(score)
		e.Risk = signal.RiskOf(e.Score)
	default:
		e.Risk = signal.Risk(l.risk)
		e.Score = e.Risk.Score()
	}
	return e
}

// atLines makes the faults of pasted entries point to the form field in which they were pasted.
// Each text then begins with the number of the entry's line.
func atLines(err error, lines []pastedLine, field string) error {
	return fault.MapItems(err, func(item fault.Item) fault.Item {
		rest, inside := strings.CutPrefix(item.Pointer, "/entries/")
		place, member, _ := strings.Cut(rest, "/")
		at, wrong := strconv.Atoi(place)
		if !inside || wrong != nil || at < 0 || at >= len(lines) {
			return item
		}

		item.Pointer = field
		item.Detail = fmt.Sprintf("line %d: %s %s", lines[at].number, member, item.Detail)
		return item
	})
}
