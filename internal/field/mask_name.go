package field

import (
	"strings"
	"unicode"
)

// identifyingWords are words in the names of inputs whose values identify a
// person. Such a value is masked at any length.
var identifyingWords = wordSet(`account acct accountno acno iban vpa upi card passport voter epic licence license
	dl driving gst gstin din cin pan uan aadhaar aadhar adhaar uid ckyc kyc ssn name fullname firstname lastname surname
	username address addr street dob birth birthdate dateofbirth phone telephone tel mobile contact whatsapp email mail
	father mother spouse nominee guardian imei mac msisdn`)

// describingWords are words in the names of inputs whose values only describe a
// person: the age of an account or the match score of a name identifies nobody.
var describingWords = wordSet(`age months month years year days day count total score match matched
	matches similarity ratio pct percent percentage rate balance amount limit emi income avg average min max sum vintage
	tenure stability type category class status flag verified valid validated available changed changes same risk
	band grade tier city state district country region pincode open opened closed active delinquent overdue dpd
	utilisation utilization applicants reuse trend`)

// impersonalOwners are words before the word "name" that show that the value is
// not the name of a person.
var impersonalOwners = wordSet(`bank branch product scheme lender city state district country region employer company
	organisation organization campaign channel`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// nameIdentifies reports whether the words of a name outside the catalogue mean
// that its value identifies somebody.
func nameIdentifies(name string) bool {
	words := nameWords(name)
	found := false
	for i, word := range words {
		switch {
		case describingWords[word]:
			return false
		case word == "name" && i > 0 && impersonalOwners[words[i-1]]:
		case identifyingWords[word]:
			found = true
		}
	}
	return found
}

// nameWords splits the last segment of a path into lower-case words: at every
// character that is not a letter, and between a lower-case and an upper-case
// letter.
func nameWords(name string) []string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words, word = append(words, strings.ToLower(string(word))), nil
		}
	}
	small := false
	for _, r := range name {
		if !unicode.IsLetter(r) {
			end()
			small = false
			continue
		}
		if small && unicode.IsUpper(r) {
			end()
		}
		word, small = append(word, r), unicode.IsLower(r)
	}
	end()
	return words
}
