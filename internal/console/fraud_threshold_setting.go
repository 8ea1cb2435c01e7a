package console

import (
	"math"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/signal"
	"verdict/internal/wire"
)

// text returns the setting as the text of its field.
func (s threshold) text() string {
	switch at := s.value.(type) {
	case *bool:
		return strconv.FormatBool(*at)
	case *int64:
		return string(wire.AppendDecimal(nil, *at, s.places))
	case *int32: // 0 means none
		if *at == 0 {
			return ""
		}
		return string(wire.AppendDecimal(nil, int64(*at), s.places))
	case *signal.Severity:
		return at.String()
	case *signal.Risk:
		return string(*at)
	case *[]string:
		return strings.Join(*at, ", ")
	case *[]signal.Account:
		var list []string
		for _, a := range *at {
			list = append(list, a.Masked)
		}
		return strings.Join(list, ", ")
	default:
		return ""
	}
}

// choices returns the permitted values of a setting that is chosen from a list, and nil for
// other settings.
func (s threshold) choices() []string {
	switch s.value.(type) {
	case *signal.Severity:
		return signal.Severities()
	case *signal.Risk:
		return signal.Risks()
	default:
		return nil
	}
}

// set sets the setting from the text of its field. It does not check the bounds; they are
// checked later, with the whole configuration.
func (s threshold) set(faults *fault.List, text string) {
	switch at := s.value.(type) {
	case *[]string:
		*at = typedList(text)
		return
	case *[]signal.Account:
		s.setAccounts(faults, at, typedList(text))
		return
	}
	if text == "" {
		s.reset()
		return
	}

	switch at := s.value.(type) {
	case *bool:
		*at = text == "true"
	case *int64:
		if n, ok := decimal(faults, "/"+s.path, text, s.places); ok {
			*at = n
		}
	case *int32:
		if n, ok := decimal(faults, "/"+s.path, text, s.places); ok && n != 0 {
			*at = int32(min(max(n, -1), math.MaxInt32))
		} else if ok {
			*at = -1 // 0 would mean "no radius"; -1 is refused as out of range
		}
	case *signal.Severity:
		severity, ok := signal.SeverityOf(text)
		if !ok {
			faults.Add("/"+s.path, fault.CodeOutOfRange, "must be one of %s", strings.Join(signal.Severities(), ", "))
		}
		*at = severity
	case *signal.Risk:
		*at = signal.Risk(text)
	}
}

// reset is called if the form field of a setting is empty. It sets the setting to the value to which s.otherwise
// points, unless s.otherwise is nil.
func (s threshold) reset() {
	switch from := s.otherwise.(type) {
	case *bool:
		*s.value.(*bool) = *from
	case *int64:
		*s.value.(*int64) = *from
	}
}

func (s threshold) setAccounts(faults *fault.List, at *[]signal.Account, texts []string) {
	for i, text := range texts {
		a, problem := signal.NewAccount(s.entity, text)
		if problem != "" {
			faults.Add("/"+s.path+"/"+strconv.Itoa(i), fault.CodeOutOfRange, "%s", problem)
			continue
		}
		*at = append(*at, a)
	}
}

// typedList splits a text at commas and line ends into its entries.
func typedList(text string) []string {
	var list []string
	for one := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if one = strings.TrimSpace(one); one != "" {
			list = append(list, one)
		}
	}
	return list
}
