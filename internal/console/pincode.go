package console

import (
	"fmt"
	"strconv"
	"strings"

	"verdict/internal/chart"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/frauddesk"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// pincodeRow is an entry as the page shows it.
type pincodeRow struct {
	Pincode, Risk, Score, Reason string
	UpdatedMicros, ExpiresMicros int64
	Over                         bool // it has expired
}

// pincodes lists what the tenant says of pincodes, with the map above.
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
		Classes: stateOptions(riskClasses),
		Risks:   riskOptions(),
		Rows:    rows,
		Pager:   v.pager(page.NextCursor),
		Default: string(page.DefaultRisk),
		Map:     regionMap(counts),
		Mapped:  len(counts) > 0,
	})
}

// riskClasses are the classes of a pincode, from the least.
var riskClasses = []string{"LOW", "MEDIUM", "HIGH", "BLOCKED"}

func riskOptions() []option {
	var list []option
	for _, class := range riskClasses {
		list = append(list, option{Value: class, Label: sentenceCase(strings.ToLower(class))})
	}
	return list
}

// setPincode adds an entry or changes the one of the same digits.
func (p *fraudPages) setPincode(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.again(err, p.pincodes)
	}

	var faults fault.List
	expires := day(&faults, "/expires_at", v.form.Value("expires_at"))
	if err := faults.Err(); err != nil {
		return v.again(err, p.pincodes)
	}

	var w wire.Writer
	w.Object().Key("pincode").String(strings.ToValidUTF8(v.form.Value("pincode"), "\uFFFD"))
	w.Key("risk").String(v.form.Value("risk"))
	if text := v.form.Value("risk_score"); text != "" {
		study.WriteNumber(w.Key("risk_score"), text)
	}
	if text := v.form.Value("reason"); text != "" {
		w.Key("reason").String(strings.ToValidUTF8(text, "\uFFFD"))
	}
	if !expires.IsZero() { // the day that is named is its last
		w.Key("expires_at").String(expires.AddDate(0, 0, 1).UTC().Format("2006-01-02T15:04:05Z"))
	}

	w.EndObject()
	return p.keepPincodes(v, w.Buf, "The entry was saved.", func(err error) error { return err })
}

func (p *fraudPages) removePincode(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.again(err, p.pincodes)
	}

	var w wire.Writer
	w.Object().Key("pincode").String(strings.ToValidUTF8(v.form.Value("pincode"), "\uFFFD"))
	w.Key("risk").Null().EndObject()
	return p.keepPincodes(v, w.Buf, "The entry was removed.", func(err error) error { return err })
}

// setPincodes keeps the lines of a table that was pasted, all of them or none.
func (p *fraudPages) setPincodes(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.again(err, p.pincodes)
	}

	lines := pastedLines(v.form.Value("lines"))
	if len(lines) == 0 {
		var faults fault.List
		faults.Add("/lines", fault.CodeRequired, "has no line with a pincode")
		return v.again(faults.Err(), p.pincodes)
	}

	var w wire.Writer
	w.Object().Key("entries").Array()
	for _, l := range lines {
		l.write(&w)
	}

	w.EndArray()
	if v.form.Value("replace") != "" {
		w.Key("replace").Bool(true)
	}

	w.EndObject()
	said := grouped(strconv.Itoa(len(lines))) + " entries were saved."
	return p.keepPincodes(v, w.Buf, said, func(err error) error { return atLines(err, lines) })
}

func (p *fraudPages) keepPincodes(v *visit, text []byte, said string, told func(error) error) error {
	body, err := wire.Parse(text)
	var set document.PincodeRisks
	if err == nil {
		set, err = document.ReadPincodeRisks(body)
	}
	if err == nil {
		_, err = p.fraud.SetPincodeRisks(v.ctx, v.caller(), set.Entries, set.Replace)
	}
	if err != nil {
		return v.again(told(err), p.pincodes)
	}

	return v.done(said, "/fraud/pincodes")
}

// pastedLine is a line of a table: the pincode, the class or a score or
// nothing, and a reason.
type pastedLine struct {
	number                int
	pincode, risk, reason string
}

// pastedLines reads lines as a spreadsheet or a CSV file has them. A line
// without a digit at its front is a heading or blank.
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

// write writes the line as an entry; one without a class, or with a dash,
// takes the entry away.
func (l pastedLine) write(w *wire.Writer) {
	w.Object().Key("pincode").String(strings.ToValidUTF8(l.pincode, "\uFFFD")).Key("risk")
	if l.risk == "" || l.risk == "-" {
		w.Null()
	} else {
		study.WriteNumber(w, l.risk)
	}
	if l.reason != "" {
		w.Key("reason").String(strings.ToValidUTF8(l.reason, "\uFFFD"))
	}

	w.EndObject()
}

// atLines says of each fault which line it is about.
func atLines(err error, lines []pastedLine) error {
	return fault.Retold(err, func(item fault.Item) fault.Item {
		rest, inside := strings.CutPrefix(item.Pointer, "/entries/")
		place, member, _ := strings.Cut(rest, "/")
		at, wrong := strconv.Atoi(place)
		if !inside || wrong != nil || at < 0 || at >= len(lines) {
			return item
		}

		item.Pointer = "/lines"
		item.Detail = fmt.Sprintf("line %d: %s %s", lines[at].number, member, item.Detail)
		return item
	})
}
