package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/training"
)

// fitPointers has the flags for the members of a request whose names differ from the flags.
var fitPointers = map[string]string{
	"split_column":   "split",
	"split_value":    "split",
	"bad_values":     "bad",
	"holdout_share":  "holdout",
	"anchor_score":   "anchor",
	"anchor_odds":    "odds",
	"special_values": "special",
}

// inFlags returns a refusal that names the flags and columns as they were typed, instead of the members of a request.
// If a column is not in the header, it names the column that was probably meant.
func (f *fitFlags) inFlags(err error, header []string) error {
	return fault.MapItems(err, func(item fault.Item) fault.Item {
		member, rest, _ := strings.Cut(strings.TrimPrefix(item.Pointer, "/"), "/")
		name := fitPointers[member]
		if name == "" {
			name = strings.ReplaceAll(member, "_", "-")
		}
		typed := f.typed(member, rest)
		if item.Code == fault.CodeUnknownField && header != nil {
			if member == "map" && rest == "" {
				typed = firstUnknown(f.options.Map, header)
			}
			if near, _ := fault.Suggest(typed, header, false); near != "" {
				item.Detail += "; did you mean " + near + "?"
			}
		}
		item.Detail = strings.ReplaceAll(item.Detail, `in "exclude"`, "in -exclude")
		item.Pointer = strings.TrimSuffix("-"+name+" "+typed, " ")
		return item
	})
}

// typed returns the column that a member of a request names. rest is the part of the pointer below the member.
func (f *fitFlags) typed(member, rest string) string {
	lists := map[string][]string{
		"exclude":     f.options.Exclude,
		"include":     f.options.Include,
		"categorical": f.options.Categorical,
	}
	switch member {
	case "target":
		return f.options.Target
	case "weight":
		return f.options.Weight
	case "split_column":
		return f.options.SplitColumn
	case "map":
		return rest
	}
	if i, err := strconv.Atoi(rest); err == nil && i < len(lists[member]) {
		return lists[member][i]
	}
	return ""
}

// firstUnknown returns the first column of a mapping that the header does not have.
func firstUnknown(mapping map[string]string, header []string) string {
	for _, name := range slices.Sorted(maps.Keys(mapping)) {
		if !slices.Contains(header, name) {
			return name
		}
	}
	return ""
}

// unspelt returns the refusal of a value in the column of outcomes that is neither good nor bad.
func (f *fitFlags) unspelt(e *training.OutcomeError) error {
	value := []rune(e.Value)
	shown := strconv.Quote(string(value[:min(len(value), maxShownValue)]))
	if len(value) > maxShownValue {
		shown += "…"
	}
	advice := "give -bad VALUES, or another -target"
	if len(f.options.Bad) > 0 { // the values of both kinds were given
		advice = "add it to -bad, -good or -indeterminate"
	}
	return fmt.Errorf("the column %s has the value %s in line %d, which is neither good nor bad: %s",
		f.options.Target, shown, e.Line, advice)
}

// maxShownValue is the maximum length of a value from a file in a message, in characters.
const maxShownValue = 40
