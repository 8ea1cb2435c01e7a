package report

import "strings"

// standing is the state of an account according to a code or phrase.
type standing struct {
	adverse Adverse
	over    bool // closed, written off, settled, sold or never disbursed: no longer an obligation
	running bool // the report states that the account is still an obligation
}

// and returns what two members of a report state together. If the result has both over and running, the account is
// over.
func (s standing) and(t standing) standing {
	return standing{adverse: s.adverse | t.adverse, over: s.over || t.over, running: s.running || t.running}
}

// accountStatuses maps Experian's account status codes. A suit, a wilful
// default and a restructuring leave the obligation in force; a write-off, a
// settlement and a sale end it.
var accountStatuses = func() map[int]standing {
	m := map[int]standing{}
	for text, codes := range map[string][]int{
		"no suit filed":                           {0},
		"active":                                  {11, 21, 22, 23, 24, 25, 71, 78, 80, 82, 83, 84},
		"closed":                                  {12, 13, 14, 15, 16, 17},
		"restructured":                            {30, 31, 39, 41, 42, 51, 130, 131},
		"settled":                                 {32, 38, 44, 50, 134, 135},
		"post write-off settled":                  {33, 45},
		"sold":                                    {34, 46},
		"written off, sold":                       {35, 47},
		"purchased":                               {36, 48},
		"written off":                             {37, 43, 49},
		"status cleared":                          {40, 52},
		"suit filed":                              {53, 59, 62, 63},
		"suit filed, written off":                 {54, 60},
		"suit filed, settled":                     {55, 61},
		"suit filed, post write-off settled":      {56},
		"suit filed, sold":                        {57},
		"suit filed, written off, sold":           {58},
		"wilful default":                          {64, 65, 70, 74, 75, 89},
		"wilful default, settled":                 {66, 73},
		"wilful default, post write-off settled":  {67},
		"wilful default, sold":                    {68},
		"wilful default, written off, sold":       {69},
		"wilful default, written off":             {72},
		"suit filed (wilful)":                     {76, 77, 87, 90, 91, 93},
		"suit filed (wilful), settled":            {79, 94},
		"suit filed (wilful), post wo settled":    {81},
		"suit filed (wilful), sold":               {85},
		"suit filed (wilful), written off, sold":  {86},
		"suit filed (wilful), written off":        {88, 97},
		"post write-off closed":                   {132},
		"restructured and closed":                 {133},
		"guarantee invoked":                       {136},
		"lender ceased while account was open":    {137},
		"lender ceased, account was closed by it": {138},
	} {
		s, ok := phrase(text)
		if !ok {
			panic("report: no phrase: " + text) // only a mistake in the table above causes this
		}
		for _, code := range codes {
			m[code] = s
		}
	}
	return m
}()

// suits maps the codes of suits and wilful defaults. Codes from 4 on also state
// write-offs and settlements.
var suits = map[int]standing{
	0: {}, // restructured, or no suit
	1: {adverse: SuitFiled, running: true},
	2: {adverse: Wilful, running: true},
	3: {adverse: SuitFiled | Wilful, running: true},
	4: {adverse: WrittenOff, over: true},
	5: {adverse: SuitFiled | WrittenOff, over: true},
	6: {adverse: Wilful | WrittenOff, over: true},
	7: {adverse: SuitFiled | Wilful | WrittenOff, over: true},
	8: {adverse: Settled, over: true},
	9: {adverse: WrittenOff | Settled, over: true},
}

// facilities maps the credit facility status codes.
var facilities = map[int]standing{
	0:  {running: true}, // restructured
	1:  {running: true}, // restructured by order of the government
	2:  {adverse: WrittenOff, over: true},
	3:  {adverse: Settled, over: true},
	4:  {adverse: WrittenOff | Settled, over: true}, // settled after it was written off
	5:  {over: true},                                // sold
	6:  {adverse: WrittenOff, over: true},           // written off and sold
	7:  {running: true},                             // purchased
	8:  {adverse: WrittenOff, over: true},           // purchased and written off
	9:  {adverse: Settled, over: true},              // purchased and settled
	10: {running: true},                             // purchased and restructured
	11: {running: true},                             // restructured after a calamity
	12: {running: true},                             // restructured for COVID-19
	13: {adverse: WrittenOff, over: true},           // closed after it was written off
	14: {over: true},                                // restructured and closed
	15: {adverse: Settled, over: true},              // auctioned and settled
	16: {adverse: Settled, over: true},              // repossessed and settled
	17: {running: true},                             // guarantee invoked
	99: {},                                          // clear status
}

// equifaxCodes maps Equifax's letters for suits, and the letters with which a
// month of its payment history states something about the account itself.
var equifaxCodes = map[string]standing{
	"ns":   {},
	"sf":   {adverse: SuitFiled, running: true},
	"wdf":  {adverse: Wilful, running: true},
	"sfr":  {adverse: SuitFiled, running: true}, // suit filed and restructured
	"sfwd": {adverse: SuitFiled | Wilful, running: true},
	"sfwo": {adverse: SuitFiled | WrittenOff, over: true},
	"wdwo": {adverse: Wilful | WrittenOff, over: true},
	"swdw": {adverse: SuitFiled | Wilful | WrittenOff, over: true},
	"set":  {adverse: Settled, over: true},
	"wof":  {adverse: WrittenOff, over: true},
	"pwos": {adverse: WrittenOff | Settled, over: true},
}

// readStanding reads a code from codes, Equifax's letters or a phrase.
func readStanding(text string, codes map[int]standing) (standing, bool) {
	if code, ok := codeOf(text); ok {
		s, known := codes[code]
		return s, known
	}
	if s, known := equifaxCodes[strings.ToLower(text)]; known {
		return s, true
	}
	return phrase(text)
}

// Squashed words that are searched for in a phrase.
var (
	noSuitWords = []string{
		"nosuit", "notasuit", "notsuit", "suitnot", "nowilful", "nowillful", "notwilful", "notwillful", "notawilful",
		"notawillful", "nonwilful", "nonwillful",
	}
	suitWords       = []string{"suit"}
	wilfulWords     = []string{"wilful", "willful"}
	writtenOffWords = []string{"writtenoff", "writeoff", "chargeoff", "chargedoff", "postwo"}
	settledWords    = []string{"settled", "settlement"}
	overWords       = []string{
		"closed", "sold", "cancelled", "inactive", "paidoff", "prepaid", "matured", "notyetdisbursed", "submitted",
		"declined",
	}
	runningWords = []string{
		"active", "open", "live", "current", "standard", "std", "regular", "delinquent", "overdue", "pastdue",
		"restructured", "npa", "substandard", "doubtful", "loss", "sma", "specialmention", "purchased",
		"guaranteeinvoked", "statuscleared", "clearstatus", "default",
	}
)

// phrase reads a status in words. ok is false if the text contains no known word.
func phrase(text string) (s standing, ok bool) {
	var buf [maxName]byte
	squashed := string(squash(buf[:0], text))
	has := func(words []string) bool {
		for _, w := range words {
			if strings.Contains(squashed, w) {
				return true
			}
		}
		return false
	}
	denied := deniesSuit(squashed)
	if !denied && has(suitWords) {
		s.adverse |= SuitFiled
	}
	if !denied && has(wilfulWords) {
		s.adverse |= Wilful
	}
	if has(writtenOffWords) {
		s.adverse |= WrittenOff
	}
	if has(settledWords) {
		s.adverse |= Settled
	}
	s.over = s.adverse&(WrittenOff|Settled) != 0 || has(overWords)
	s.running = !s.over && (s.adverse != 0 || has(runningWords))
	return s, denied || s.over || s.running
}
