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

// maxNarration is the maximum length of a model's text, in bytes.
const maxNarration = 4_000

// The reasons why a model's text was not used. They are not refusals, because the
// run succeeds without the text.
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

// narrate sends the summary to the narrator, if there is one. It uses the text of the narrator only if the function
// objection accepts the text.
func (s *Service) narrate(ctx context.Context, st *study) {
	if s.options.Narrator == nil {
		return
	}
	slot, request := admission.SlotOf(ctx), ctx
	// A run cannot be stored after its request has ended, so the narrator gets at
	// most half of the remaining time.
	if end, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	given := st.summary()
	slot.Away() // the model takes seconds and uses no local processor
	told, err := s.options.Narrator.Narrate(ctx, given)
	slot.Back()
	if err != nil {
		// If the request has ended, the narrator has not failed, and the run fails
		// with the error of the request.
		if request.Err() == nil {
			s.options.Logger.WarnContext(request,
				"could not get a text from the language model; the memo has the plain summary", "error", err)
		}
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

// objection returns the reason why the text of a model is rejected, or "" if it is accepted. Every number, name
// and outcome word in the text "told" must occur in the text "given". The words in the set opening do not count
// as names. "told" must contain the recommendation and be plain prose without markup.
func objection(given, told, recommendation string) string {
	switch {
	case told == "":
		return proseEmpty
	case len(told) > maxNarration:
		return proseTooLong
	case !utf8.ValidString(told) || strings.ContainsAny(told, "<>`[]{}|#*\\") ||
		strings.Contains(told, "://") || strings.Contains(strings.ToLower(told), "www."):
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

// tokens splits a text into numbers, identifiers and words. A full stop or comma
// belongs to a token only inside the token. So "0.48" is one number. "1,00,000"
// is one number too; it never occurs in a summary and is therefore rejected.
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

// isNumber reports whether a token contains a digit of any script and is not an
// identifier.
func isNumber(t string) bool {
	return strings.ContainsFunc(t, unicode.IsNumber) && !strings.Contains(t, "_")
}

// isName reports whether a token looks like a name: it contains a capital letter,
// an underscore or a letter that is not Latin.
func isName(t string) bool {
	return strings.ContainsFunc(t, func(r rune) bool {
		return r == '_' || unicode.IsUpper(r) || unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
	})
}

// words returns the set of words in text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

var (
	// opening holds words that objection accepts with a capital letter, for example at the start of a sentence.
	opening = words(`a an the this these that those it its they their there here in on at by for from of to with without
		and but or as if when while because since although however therefore overall also both each all no not our we
		recommendation recommended decision application applicant principal reason reasons score grade offer confidence
		given based after before once until instead still should would could can may must is are was were has have had`)
	numberWords = words(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
		sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
		lakh lakhs crore crores million billion half double twice triple dozen`)
	// verdictWords are words that state an outcome.
	verdictWords = words(`approve approved approval approves decline declined declines reject rejected rejects refer
		referred refers guaranteed guarantee guarantees waive waived sanctioned disburse disbursed`)
)

// writeNarration writes whether the model's text was used. If it was used,
// writeNarration also writes the plain summary, otherwise the reason.
func (st *study) writeNarration(w *wire.Writer) {
	w.Key("narration").Object().Key("used").Bool(st.narrated != "")
	if st.narrated != "" {
		w.Key("plain_summary").String(st.summary())
	} else {
		w.Key("refused").String(st.refused)
	}
	w.EndObject()
}
