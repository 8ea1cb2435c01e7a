package main

import (
	"flag"
	"regexp"
	"strings"

	"verdict/internal/tenant"
)

// placeholder matches an id or a key of the documentation, of which "…" stands for the rest. Readers who copy a
// command may forget to replace it.
var placeholder = func() *regexp.Regexp {
	starts := []string{"vk_"}
	for _, kind := range tenant.Kinds() {
		starts = append(starts, string(kind))
	}
	return regexp.MustCompile(`^(` + strings.Join(starts, "|") + `)\w*(…|\.\.\.)$`)
}()

// isPlaceholder reports whether a text stands for an id or a key.
func isPlaceholder(text string) bool { return placeholder.MatchString(text) }

// placeholderIn returns the first flag or argument that is a placeholder, or "" if there is none. It does not return
// the beginning of a key. The flags must have been parsed.
func placeholderIn(fs *flag.FlagSet) (found string) {
	fs.Visit(func(f *flag.Flag) {
		if found == "" && isPlaceholder(f.Value.String()) {
			found = f.Value.String()
		}
	})
	for _, argument := range fs.Args() {
		if found == "" && isPlaceholder(argument) {
			found = argument
		}
	}
	if strings.HasPrefix(found, "vk_") {
		return "vk_…"
	}
	return found
}
