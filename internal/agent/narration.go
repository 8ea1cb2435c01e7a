package agent

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"verdict/internal/admission"
	"verdict/internal/wire"
)

// maxNarration bounds a model's prose, in bytes.
const maxNarration = 4_000

// Why a model's prose was not used. The run was done all the same, so these are
// no refusals.
const (
	proseUnavailable         = "unavailable"
	proseEmpty               = "empty"
	proseTooLong             = "too_long"
	proseNone                = "not_prose"
	proseUnknownNumber       = "unknown_number"
	proseUnknownName         = "unknown_name"
	proseOtherOutcome        = "other_outcome"
	proseLosesRecommendation = "recommendation_lost"
)

// narrate has the summary rewritten, if somebody does that, and takes what
// comes back only if it says nothing that it was not told.
func (s *Service) narrate(ctx context.Context, st *study) {
	if s.options.Narrator == nil {
		return
	}
	slot := admission.SlotOf(ctx)
	// A run whose request is over cannot be stored any more, so the narrator
	// has half of what is left at most.
	if end, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	given := st.summary()
	slot.Pause() // a model takes seconds and none of our processor
	told, err := s.options.Narrator.Narrate(ctx, given)
	slot.Resume()
	if err != nil {
		st.refused = proseUnavailable
		return
	}
	told = strings.Join(strings.Fields(told), " ")
	if why := objection(given, told, st.recommendation); why != "" {
		st.refused = why
		return
	}
	st.narrated = told
}

// objection says why a model's prose is not taken, "" when it is. Every number,
// every name and every word of a decision in it must stand in what it was
// given; it must keep the recommendation; and it must be prose.
func objection(given, told, recommendation string) string {
	switch {
	case told == "":
		return proseEmpty
	case len(told) > maxNarration:
		return proseTooLong
	case !utf8.ValidString(told) || strings.ContainsAny(told, "<>`[]{}|#*\\") || strings.Contains(told, "://") || strings.Contains(strings.ToLower(told), "www."):
		return proseNone
	}
	known := map[string]bool{}
	for _, t := range tokens(given) {
		known[t] = true
		known[strings.ToLower(t)] = true
	}
	keeps := false
	for _, t := range tokens(told) {
		keeps = keeps || t == recommendation
		lower := strings.ToLower(t)
		switch {
		case isNumber(t):
			if !known[t] {
				return proseUnknownNumber
			}
		case numberWords[lower] && !known[lower]:
			return proseUnknownNumber
		case isName(t) && !known[t] && !known[lower] && !opening[lower]:
			return proseUnknownName
		case verdictWords[lower] && !known[lower]:
			return proseOtherOutcome
		}
	}
	if !keeps {
		return proseLosesRecommendation
	}
	return ""
}

// tokens cuts a text into numbers, identifiers and words. A full stop or comma
// belongs to a token only inside it, so that 0.48 is one number, and so is
// 1,00,000, which no text of ours writes.
func tokens(text string) []string {
	fields := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !strings.ContainsRune("_.,%", r)
	})
	var out []string
	for _, f := range fields {
		if f = strings.Trim(f, "_.,"); f != "" {
			out = append(out, f)
		}
	}
	return out
}

// isNumber reports whether a token has a digit of any script, and is no
// identifier.
func isNumber(t string) bool {
	return strings.ContainsFunc(t, unicode.IsNumber) && !strings.Contains(t, "_")
}

// isName reports whether a token is written like a name: with a capital letter
// or an underscore anywhere, or not in Latin letters at all.
func isName(t string) bool {
	return strings.ContainsFunc(t, func(r rune) bool {
		return r == '_' || unicode.IsUpper(r) || unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
	})
}

// words makes a set of words.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

var (
	// opening are the words that a sentence may begin with.
	opening = words(`a an the this these that those it its they their there here in on at by for from of to with without
		and but or as if when while because since although however therefore overall also both each all no not our we
		recommendation recommended decision application applicant principal reason reasons score grade offer confidence
		given based after before once until instead still should would could can may must is are was were has have had`)
	// numberWords are amounts that are spelt out.
	numberWords = words(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand lakh lakhs crore
		crores million billion half double twice triple dozen`)
	// verdictWords are outcomes, in the ways they are put.
	verdictWords = words(`approve approved approval approves decline declined declines reject rejected rejects refer referred
		refers guaranteed guarantee guarantees waive waived sanctioned disburse disbursed`)
)

// writeNarration says what became of the narration, and keeps the plain
// summary beside a model's.
func (st *study) writeNarration(w *wire.Writer) {
	w.Key("narration").Object().Key("used").Bool(st.narrated != "")
	if st.narrated != "" {
		w.Key("plain_summary").String(st.summary())
	} else {
		w.Key("refused").String(st.refused)
	}
	w.EndObject()
}
