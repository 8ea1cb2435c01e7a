package recovery

import (
	"slices"
	"strings"
	"unicode"
)

// products lists the known products to which the general contact hours apply.
var products = []string{
	"personal_loan", "small_ticket_loan", "consumer_loan", "consumer_durable_loan", "credit_card", "home_loan",
	"loan_against_property", "gold_loan", "vehicle_loan", "auto_loan", "car_loan", "two_wheeler_loan", "tractor_loan",
	"commercial_vehicle_loan", "business_loan", "msme_loan", "working_capital_loan", "overdraft", "education_loan",
	"agricultural_loan", "payday_loan", "bnpl", "salary_advance",
}

// microfinanceWords lists other names of microfinance: loans to joint liability
// groups and self-help groups, and the lenders that make them.
var microfinanceWords = []string{"mfi", "jlg", "shg", "grouploan", "jointliability", "selfhelp"}

// productWords splits the name of a product into words in lower case.
func productWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// isMicrofinance reports whether one of microfinanceWords is a word of name. A word of more than four letters
// may also occur anywhere in name, without regard to spaces and punctuation.
func isMicrofinance(name string) bool {
	words := productWords(name)
	joined := strings.Join(words, "")
	return slices.ContainsFunc(microfinanceWords, func(known string) bool {
		return slices.Contains(words, known) || len(known) > 4 && strings.Contains(joined, known)
	})
}

// isProduct reports whether a product is known, with or without the word "loan".
func isProduct(name string) bool {
	joined := strings.Join(productWords(name), "_")
	return slices.ContainsFunc(products, func(known string) bool {
		return joined == known || joined+"_loan" == known ||
			strings.ReplaceAll(joined, "_", "") == strings.ReplaceAll(known, "_", "")
	})
}
