package console

import (
	"regexp"
	"strings"
)

const numberPattern = `-?\d+(?:\.\d+)?`

// The phrases of the engine and of memos in which a number is always an amount in rupees, or always a share of 1. The
// second group of each is the number.
var (
	amountPhrases = []*regexp.Regexp{
		regexp.MustCompile(`(^|[ (])₹?(\d{3,}(?:\.\d{1,2})?)( a month| over \d+ months)`),
		regexp.MustCompile(`(instalments? of |limit that leaves is )(\d+(?:\.\d{1,2})?)()`),
		regexp.MustCompile(`(\b[A-Z][A-Z0-9_]* (?:minimum|maximum|default) )(\d+(?:\.\d{1,2})?)()`),
		regexp.MustCompile(`(default limit of |amount asked for, |the exposure of )(\d+(?:\.\d{1,2})?)()`),
		regexp.MustCompile(`(Limit of )(\d+(?:\.\d{1,2})?)(, )`),
		regexp.MustCompile(`(\ballows at most )(\d+(?:\.\d{1,2})?)( \()`),
		regexp.MustCompile(`(policy lends at most )(\d+(?:\.\d{1,2})?)( to one person)`),
		regexp.MustCompile(`(\bat most )(\d+(?:\.\d{1,2})?)( in all)`),
		regexp.MustCompile(`( months, )(\d+(?:\.\d{1,2})?)( to \d+(?:\.\d+)?, default )`),
		regexp.MustCompile(`(₹[\d,.]+ to )(\d+(?:\.\d{1,2})?)(, default )`),
		regexp.MustCompile(`(, default )(\d+(?:\.\d{1,2})?)()`),
		regexp.MustCompile(`( in all; |outstanding and )(\d+(?:\.\d{1,2})?)( is )`),
	}
	sharePhrases = []*regexp.Regexp{
		regexp.MustCompile(`(caps obligations at )(0(?:\.\d+)?|1)( of income)`),
		regexp.MustCompile(`(FOIR cap )(0\.\d+|1)()`),
	}
)

// The comparisons of a field with numbers, as conditions and reasons write them. The groups are the sign of a factor or
// divisor before the field, the name, the comparison, the numbers, and what makes the number part of something else.
var (
	comparedOnce = regexp.MustCompile(`([*/] )?\b([a-z][a-z0-9_.]*)( (?:is|[<>]=?|!?=) )(` + numberPattern +
		`)([0-9A-Za-z_:-]|[.,][0-9]| [*/])?`)
	comparedOften = regexp.MustCompile(`([*/] )?\b([a-z][a-z0-9_.]*)( between | (?:not )?in \()(` + numberPattern +
		`(?:(?: and |, )` + numberPattern + `)*)()`)
	anyNumber = regexp.MustCompile(numberPattern)
)

// writeAmounts adds ₹ to the amounts in a text and writes its shares in percent. It changes only numbers whose unit is
// certain: those in one of the phrases above, and those that are compared with a field that has a unit.
func writeAmounts(text string) string {
	for _, phrase := range amountPhrases {
		text = replaceAmount(phrase, text, func(number string) string {
			amount, err := rupees(number)
			if err != nil {
				return number
			}
			return amount
		})
	}
	for _, phrase := range sharePhrases {
		text = replaceAmount(phrase, text, percentOf)
	}
	if !strings.ContainsAny(text, "0123456789") {
		return text
	}
	for _, comparison := range []*regexp.Regexp{comparedOnce, comparedOften} {
		text = comparison.ReplaceAllStringFunc(text, func(found string) string {
			part := comparison.FindStringSubmatch(found)
			if part[1] != "" || part[5] != "" {
				return found
			}
			return part[2] + part[3] + amountsOf(part[2], part[4])
		})
	}
	return text
}

func replaceAmount(phrase *regexp.Regexp, text string, written func(number string) string) string {
	return phrase.ReplaceAllStringFunc(text, func(found string) string {
		part := phrase.FindStringSubmatch(found)
		return part[1] + written(part[2]) + part[3]
	})
}

// amountsOf writes every number of a text as a value of the named field.
func amountsOf(name, text string) string {
	return anyNumber.ReplaceAllStringFunc(text, func(number string) string { return amountText(name, number) })
}
