package report

import "math/bits"

// words is a set of meanings that the words of a narration have.
type words uint64

const (
	wordUPI words = 1 << iota
	wordTransfer
	wordATM      // enough alone to mean cash
	wordCash     // means cash only together with wordCashVerb
	wordCashVerb // deposit, withdrawal
	wordMandate
	wordCheque
	wordBook // a book of cheques
	wordReturn
	wordReturnWeak // means a return only together with an instrument
	wordReversal
	wordRefund
	wordRedeem
	wordSalary
	wordEarly // EARLY SALARY is a lender's name
	wordBenefit
	wordInterest
	wordEMI
	wordInstalment
	wordLoan
	wordLender        // a lender that also does other business
	wordDigitalLender // a lender that does no other business
	wordDisbursal
	wordClosure
	wordSelf
	wordOwn
	wordCredit
	wordCard
	wordCC
	wordPay
	wordCardBill
	wordCred
	wordClub
	wordBill
	wordInvest
	wordDeposit // a fixed deposit
	wordRecurring
	wordCharge
	wordFee
	wordFeeOf
	wordGST
	wordIncluding
	wordNoise // does not belong to the counterparty's name
)

// Unions of meanings that several rules use.
const (
	wordAnyLender  = wordLender | wordDigitalLender
	wordName       = wordAnyLender // words that may belong to a counterparty's name
	wordNotCutting = wordAnyLender | wordOwn | wordCC | wordNoise
)

// clue is the information found in a narration.
type clue struct {
	words words
	party uint64 // hash of the counterparty's name, 0 when there is none
	role  role
}

func (c *clue) has(w words) bool { return c.words&w != 0 }
func (c *clue) all(w words) bool { return c.words&w == w }

// channel returns the channel according to the narration alone.
func (c *clue) channel() Channel {
	switch {
	case c.has(wordUPI):
		return UPI
	case c.has(wordCharge | wordFee):
		return OtherChannel
	case c.has(wordATM) || c.all(wordCash|wordCashVerb):
		return Cash
	case c.has(wordTransfer):
		return Transfer
	default:
		return OtherChannel
	}
}

// capital maps letters to upper case and digits to themselves. All other bytes
// map to 0 and separate words.
var capital = func() (t [256]byte) {
	for c := '0'; c <= '9'; c++ {
		t[c] = byte(c)
	}
	for c := 'A'; c <= 'Z'; c++ {
		t[c], t[c-'A'+'a'] = byte(c), byte(c)
	}
	return t
}()

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// nameWords is the number of words of a name that identify the counterparty. More
// words would include the remarks after the name, which change from month to
// month.
const nameWords = 2

// readNarration scans a narration once. A word is a sequence of letters,
// optionally followed by digits, as in SALARY082026; only its letters are looked
// up. All other text is a number or a reference and is skipped.
func readNarration(s string) clue {
	var c clue
	names := 0
	for i := 0; i < len(s); {
		if capital[s[i]] == 0 {
			i++
			continue
		}
		start := i
		var key wordKey
		key.low, i = eightLetters(s, i)
		if i == start+8 {
			key.high, i = eightLetters(s, i)
			for i < len(s) && capital[s[i]] >= 'A' {
				i++
			}
		}
		letters, digit := i-start, false
		for ; i < len(s) && isDigit(s[i]); i++ {
			digit = true
		}
		if i < len(s) && capital[s[i]] != 0 {
			for ; i < len(s) && capital[s[i]] != 0; i++ {
			}
			continue // letters after digits: a reference
		}
		if letters < 2 {
			continue
		}
		found := words(0)
		if letters <= maxWord {
			found = vocabulary.find(key)
		}
		if digit {
			if letters > 2 {
				c.words |= found &^ wordNotCutting
			}
			continue
		}
		c.words |= found
		if names < nameWords && letters > 2 && found&^wordName == 0 {
			names++
			c.party = (c.party ^ key.hash()) * 0x9E3779B97F4A7C15
		}
	}
	return c
}

// eightLetters returns up to eight letters, in capitals, and the index after
// them. It processes eight bytes together, because the length of a word is
// unpredictable and the processor would mispredict the end of a loop.
func eightLetters(s string, at int) (letters uint64, end int) {
	if at+8 <= len(s) {
		b := s[at : at+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		const ones, tops = 0x0101010101010101, 0x8080808080808080
		capitals := x &^ (ones * ('a' - 'A'))
		low := capitals &^ tops // clear the top bits, so that no sum carries into the next byte
		fromA, afterZ := low+ones*(0x80-'A'), low+ones*(0x7f-'Z')
		n := bits.TrailingZeros64(^(fromA&^afterZ&^x)&tops) / 8
		return capitals & (1<<(8*n) - 1), at + n
	}
	for shift := 0; shift < 64 && at < len(s) && capital[s[at]] >= 'A'; shift += 8 {
		letters |= uint64(capital[s[at]]) << shift
		at++
	}
	return letters, at
}

// maxWord is the length of the longest word that is looked up.
const maxWord = 16

// wordKey holds the first sixteen letters of a word, in capitals.
type wordKey struct{ low, high uint64 }

func (k wordKey) hash() uint64 {
	h := (k.low ^ k.high*0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// wordTable is a hash table with open addressing that finds most words with one
// memory access. A statement has ten thousand words, and looking them up in a map
// would take longer than all other work of reading it.
type wordTable [wordSlots]struct {
	key   wordKey
	words words
}

const wordSlots = 2048 // several times as many as there are words

func (t *wordTable) find(k wordKey) words {
	for i := k.hash() % wordSlots; ; i = (i + 1) % wordSlots {
		switch e := &t[i]; e.key {
		case k:
			return e.words
		case wordKey{}:
			return 0
		}
	}
}

func (t *wordTable) add(word string, w words) {
	var k wordKey
	for i := range len(word) {
		if i < 8 {
			k.low |= uint64(word[i]) << (8 * i)
		} else {
			k.high |= uint64(word[i]) << (8*i - 64)
		}
	}
	for i := k.hash() % wordSlots; ; i = (i + 1) % wordSlots {
		if e := &t[i]; e.key == k || e.key == (wordKey{}) {
			e.key, e.words = k, e.words|w
			return
		}
	}
}
