package agent

import (
	"slices"
	"time"

	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// askMembers lists the members of an underwriting request besides the
// application.
var askMembers = []string{"purpose", "max_steps", "explore", "as_of"}

// The bounds of a request.
const (
	fixedSteps   = 6 // the number of steps that every run takes
	defaultSteps = 12
	maxSteps     = 40
	maxTenures   = 20
	maxMonths    = 480
	maxPurpose   = 200
)

// ask holds the members of an underwriting request besides the application.
type ask struct {
	purpose  string
	steps    int
	tenures  []int // nil means the tenures of the policy
	minPaise int64
	asOf     civil.Day // 0 means the day of the request
	asOfText string
	// narration is the model's summary, and refused says why there is no such summary. They are set only in the request
	// that is stored with a run.
	narration, refused string
	edition            edition
}

// readAsk reads the agent's own members of a request. If one of them is invalid,
// it reads the application too, so that the error lists all faults together.
func readAsk(body wire.Value) (ask, error) {
	var faults fault.List
	a := readOwn(body, &faults)
	a.edition = latestEdition
	if faults.Len() == 0 {
		return a, nil
	}
	_, err := application.Read(body, application.Options{Members: askMembers})
	if refusal := fault.Of(err); refusal != nil {
		for _, item := range refusal.Items {
			faults.Add(item.Pointer, item.Code, "%s", item.Detail)
		}
	}
	return a, faults.Err()
}

func readOwn(body wire.Value, faults *fault.List) ask {
	a := ask{steps: defaultSteps}
	if body.Kind() != wire.Object {
		return a // application.Read refuses the body
	}
	f := wire.NewForm(body, faults)
	if text, ok := f.Text("purpose", maxPurpose); ok {
		a.purpose = text
	}
	if n, ok := f.Decimal("max_steps", 0, fixedSteps, maxSteps); ok {
		a.steps = int(n)
	}
	a.explore(body.Get("explore"), faults)
	a.day(body.Get("as_of"), faults)
	return a
}

func (a *ask) explore(v wire.Value, faults *fault.List) {
	if !v.Given() {
		return
	}
	if v.Kind() != wire.Object {
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object of tenures and min_amount")
		return
	}
	f := wire.NewForm(v, faults)
	f.Known("tenures", "min_amount")
	if list := f.Array("tenures", maxTenures); list.Kind() == wire.Array {
		a.tenures = []int{}
		for _, e := range list.Elements() {
			n, exact, ok := rule.ParseNumber(e.Text())
			months := n.Floor()
			if e.Kind() != wire.Number || !ok || !exact || !n.HasPlaces(0) || months < 1 || months > maxMonths {
				faults.Add(e.Pointer(), fault.CodeOutOfRange,
					"must be a whole number of months between 1 and %d", maxMonths)
				continue
			}
			a.tenures = append(a.tenures, int(months))
		}
		slices.Sort(a.tenures)
		a.tenures = slices.Compact(a.tenures)
	}
	if paise, ok := f.Decimal("min_amount", 2, 1, int64(rule.MaxNumber/rule.One)*100); ok {
		a.minPaise = paise
	}
	f.Done()
}

// day reads as_of, which is a date or a time.
func (a *ask) day(v wire.Value, faults *fault.List) {
	if !v.Given() {
		return
	}
	const earliest, latest = 1990, 2100
	text := v.Text()
	if at, err := time.Parse(time.DateOnly, text); v.Kind() == wire.String && err == nil {
		a.asOf = civil.DayOf(at.Date())
	} else if at, err := time.Parse(time.RFC3339, text); v.Kind() == wire.String && err == nil {
		a.asOf = civil.DayAt(at)
	} else {
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be a date such as 2026-11-15, or a time in RFC 3339")
		return
	}
	if year, _, _ := a.asOf.Date(); year < earliest || year > latest {
		faults.Add(v.Pointer(), fault.CodeOutOfRange, "must lie between the years %d and %d", earliest, latest)
		return
	}
	a.asOfText = a.asOf.String()
}

// write writes the request members that are stored with the run.
func (a *ask) write(w *wire.Writer) {
	w.Object()
	if a.asOfText != "" {
		w.Key("as_of").String(a.asOfText)
	}
	if a.edition > firstEdition {
		w.Key("edition").Int(int64(a.edition))
	}
	if in := a.explored(); in != nil {
		w.Key("explore").Raw(in)
	}
	w.Key("max_steps").Int(int64(a.steps))
	if a.narration != "" {
		w.Key("narration").String(a.narration)
	}
	if a.refused != "" {
		w.Key("narration_refused").String(a.refused)
	}
	if a.purpose != "" {
		w.Key("purpose").String(a.purpose)
	}
	w.EndObject()
}

// explored returns the limits of the search as JSON, or nil if there are no
// limits.
func (a *ask) explored() []byte {
	if a.minPaise == 0 && a.tenures == nil {
		return nil
	}
	var w wire.Writer
	w.Object()
	if a.minPaise > 0 {
		w.Key("min_amount").Decimal(a.minPaise, 2)
	}
	if a.tenures != nil {
		w.Key("tenures").Array()
		for _, months := range a.tenures {
			w.Int(int64(months))
		}
		w.EndArray()
	}
	return w.EndObject().Buf
}

// readStoredAsk reads a document that ask.write wrote.
func readStoredAsk(document []byte) (ask, error) {
	v, err := wire.Parse(document)
	if err != nil {
		return ask{}, err
	}
	var faults fault.List
	a := readOwn(v, &faults)
	a.narration, a.refused = v.Get("narration").Text(), v.Get("narration_refused").Text()
	if a.edition, err = readEdition(v); err != nil {
		return ask{}, err
	}
	return a, faults.Err()
}
