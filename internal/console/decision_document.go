package console

import (
	"verdict/internal/decisioning"
	"verdict/internal/offer"
)

// HasStatement reports whether the decision has an offer that is approved, by the engine or by a person.
func (t *shownDecision) HasStatement() bool {
	overturned := t.overturned()
	return t.Answer.Offer.Made && (t.Status() == "APPROVED" && !overturned || t.Status() == "REFERRED" && overturned)
}

// HasLetter reports whether there is a letter: about a decline, or about a counter-offer.
func (t *shownDecision) HasLetter() bool {
	if t.HasStatement() {
		return t.Answer.Offer.CounterOffer
	}
	switch t.Status() {
	case "DECLINED":
		return !t.overturned()
	case "APPROVED":
		return true
	default:
		return t.Reviewed()
	}
}

// documentLanguage is a language in which the documents of a decision can be read.
type documentLanguage struct{ Tag, Name string }

// Languages returns the languages of documents.
func (t *shownDecision) Languages() (list []documentLanguage) {
	for _, tag := range offer.Languages() {
		language, _ := offer.LanguageOf(tag)
		list = append(list, documentLanguage{tag, language.Text("language")})
	}
	return list
}

// overturned reports whether the last final review decided otherwise than the engine.
func (t *shownDecision) overturned() bool {
	e := decisioning.Explained{Reviews: t.Reviews}
	return e.Overturned()
}
