package backtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Write writes the setup as an object for storage: the members of a request,
// the header and the reference. ReadStoredSetup reads it back.
func (s *Setup) Write(w *wire.Writer) {
	w.Object()
	writeTexts(w, "header", s.Header)
	w.Key("map").Object()
	for _, name := range slices.Sorted(maps.Keys(s.Map)) {
		w.Name(name).String(s.Map[name])
	}
	w.EndObject()
	for _, c := range s.columns() {
		if *c.name != "" {
			w.Key(c.member).String(*c.name)
		}
	}
	writeTexts(w, "bad_values", s.Bad)
	writeTexts(w, "good_values", s.Good)
	if s.PercentFOIR {
		w.Key("foir_unit").Plain("percent")
	}
	if s.Encoding != "" {
		w.Key("encoding").String(s.Encoding)
	}
	if s.LGD != 0 {
		w.Key("lgd").Decimal(int64(s.LGD), rule.Places)
	}
	if s.FundingRate != 0 {
		w.Key("funding_rate").Decimal(int64(s.FundingRate), rule.Places)
	}
	if s.Reference != nil {
		w.Key("reference").Array()
		for _, n := range s.Reference {
			w.Int(n)
		}
		w.EndArray()
	}
	w.EndObject()
}

func writeTexts(w *wire.Writer, name string, list []string) {
	if len(list) > 0 {
		w.Key(name).Strings(list)
	}
}

// ReadStoredSetup reads a setup that Write wrote. It returns an error if the
// setup is invalid.
func ReadStoredSetup(v wire.Value) (Setup, error) {
	var faults fault.List
	s := ReadSetup(v, &faults)
	if err := faults.Err(); err != nil {
		return Setup{}, fmt.Errorf("read stored setup: %w", err)
	}
	if len(s.Map) == 0 {
		s.Map = nil
	}
	s.Encoding = v.Get("encoding").Text()
	for _, name := range v.Get("header").Elements() {
		s.Header = append(s.Header, name.Text())
	}
	for _, n := range v.Get("reference").Elements() {
		count, err := strconv.ParseInt(n.Text(), 10, 64)
		if err != nil {
			return Setup{}, errors.New("read stored setup: the reference holds a value that is not an integer")
		}
		s.Reference = append(s.Reference, count)
	}
	return s, nil
}
