package console

import (
	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/offer"
	"verdict/internal/offerdesk"
)

// documentLinks says which documents a decision has now.
type documentLinks struct {
	Statement bool // the key facts statement of an offer that has not expired
	Letter    bool // the letter about a decline or a counter-offer
	Missing   bool // a document is not available because no lender profile is stored
	Languages []documentLanguage
}

// documentLanguage is a language in which the documents can be read. Name is in English, like the console: a browser
// without a font for the script of the language would show an empty link.
type documentLanguage struct{ Tag, Name string }

// documents finds out which documents a decision has, by making them.
func (p *decisionPages) documents(v *visit, id string) (links documentLinks, err error) {
	want := offerdesk.Wanted{DisbursedOn: civil.NoDay}
	_, noStatement := p.offers.KFS(v.ctx, v.caller(), id, want)
	_, noLetter := p.offers.Letter(v.ctx, v.caller(), id, want)
	for _, refusal := range []error{noStatement, noLetter} {
		if refusal != nil && fault.Of(refusal) == nil {
			return links, refusal
		}
		links.Missing = links.Missing || fault.CodeOf(refusal) == fault.CodeLenderProfileMissing
	}
	links.Statement, links.Letter = noStatement == nil, noLetter == nil
	for _, tag := range offer.Languages() {
		language, _ := offer.LanguageOf(tag)
		links.Languages = append(links.Languages, documentLanguage{tag, language.Text("language_in_english")})
	}
	return links, nil
}
