package recovery

import (
	"strconv"
	"strings"
	"unicode"

	"verdict/internal/civil"
)

// Message is the text for the borrower that belongs to the next best action: a text to send, or the opening of a
// call. It is a template filled with computed figures. The only texts of a case that a message can contain are a
// plain name and the last characters of the loan number.
type Message struct {
	Template string
	Language Language
	Text     string
}

// template returns the name of the template for an action.
func (a *advisor) template(action Action) string {
	level := "_" + strconv.Itoa(min(max(int(a.Arrears.Bucket), 1), 3))
	switch action {
	case RemindSMS, RemindWhatsApp:
		if a.Arrears.DPD == 0 {
			return "due_soon"
		}
		return "overdue" + level
	case SendPaymentLink:
		return "payment_link"
	case RepresentNACH:
		return "nach_notice"
	case Call:
		if a.Promise.LastBroken {
			return "ptp_broken_" + strconv.Itoa(min(a.Promise.Broken, 3))
		}
		return "call" + level
	case FieldVisit:
		return "visit_notice"
	case OfferRestructure:
		return "restructure_offer"
	case OfferSettlement:
		return "settlement_offer"
	case LegalNotice:
		return "legal_notice"
	default:
		return ""
	}
}

// message fills the template of the next best action.
func (a *advisor) message() {
	if a.Next.Template == "" {
		return
	}
	b := &a.c.Borrower
	p := &phrases[b.Language]
	tone := Gentle
	if stage := a.s.stage(a.Arrears.DPD); stage != nil {
		tone = stage.Tone
	}
	text := p.greet(personName(b.Name)) + " " + a.fill(p, p.bodies[a.Next.Template]) + " " + p.closings[tone]
	if sender := plainText(a.s.LenderName, maxLender); sender != "" {
		text += " " + sender
		if contact := plainText(a.s.Contact, maxLender); contact != "" {
			text += ", " + contact
		}
	}
	a.Message = Message{Template: a.Next.Template, Language: b.Language, Text: text}
}

// fill replaces the placeholders of a template by their figures. It does not scan
// inserted text again, so a value that a lender sends cannot act as a
// placeholder.
func (a *advisor) fill(p *phrasebook, template string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		out.WriteString(a.figure(p, name))
		template = after
	}
}

// figure returns the text for a placeholder. It returns "" for a phrase whose
// figure is unknown.
func (a *advisor) figure(p *phrasebook, name string) string {
	l, r := &a.c.Loan, &a.Arrears
	switch name {
	case "amount":
		return rupeeText(l.OverduePaise)
	case "emi":
		return p.part(p.emi, rupeeText(l.EMIPaise), l.EMIPaise > 0)
	case "loan":
		if tail := loanTail(l.ID); tail != "" {
			return p.part(p.numbered, tail, true)
		}
		return p.loan
	case "dpd":
		return strconv.Itoa(r.DPD)
	case "due":
		return p.date(r.First)
	case "since":
		return p.part(p.since, p.date(r.First), r.HasFirst)
	case "promised":
		last := a.Promise.last.AmountPaise
		return p.part(p.emi, rupeeText(last), last > 0)
	case "promise_date":
		return p.date(a.Promise.last.Date)
	default:
		return a.offered(p, name)
	}
}

// offered returns the text for a placeholder about a meeting or an offer.
func (a *advisor) offered(p *phrasebook, name string) string {
	e := &a.Next
	switch name {
	case "day":
		return p.date(civil.LocalDay(e.NotBefore))
	case "from":
		return clockText(e.NotBefore.Hour()*60 + e.NotBefore.Minute())
	case "to":
		return clockText(e.NotAfter.Hour()*60 + e.NotAfter.Minute())
	case "months":
		return strconv.Itoa(a.Restructure.Months)
	case "new_emi":
		return rupeeText(a.Restructure.EMIPaise)
	case "settle":
		return rupeeText(a.Settlement.Paise)
	case "parts":
		return strconv.Itoa(len(a.Settlement.Instalment))
	default:
		return ""
	}
}

// maxPersonName is the maximum length of a name in characters. A longer name is
// not used.
const maxPersonName = 40

// personName returns text if it is safe to use in a greeting, otherwise "". A text with characters other than
// letters, spaces, points and apostrophes is probably a link or an instruction, and not a name.
func personName(text string) string {
	count := 0
	for _, c := range text {
		count++
		if !unicode.IsLetter(c) && !unicode.IsMark(c) && c != ' ' && c != '.' && c != '\'' {
			return ""
		}
	}
	if count > maxPersonName || strings.Contains(text, "..") || strings.Contains(strings.ToLower(text), "www.") {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

// loanTail returns the last characters of a loan number, or "" if the number has
// unusual characters. The last characters are enough for the borrower to
// recognize the loan, and useless to anybody else who reads the message.
func loanTail(id string) string {
	const shown = 4
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '/' || c == '_') {
			return ""
		}
	}
	return id[max(0, len(id)-shown):]
}

// plainText returns text without markup and control characters, truncated to at most the given number of bytes.
func plainText(text string, most int) string {
	var b strings.Builder
	for _, c := range text {
		if b.Len()+len(string(c)) > most {
			break
		}
		if unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c) || strings.ContainsRune(" .,'&()+-/_@", c) {
			b.WriteRune(c)
		}
	}
	return strings.TrimSpace(b.String())
}

// rupeeText formats an amount as in India, such as "₹1,82,000". It shows paise
// only if they are not zero.
func rupeeText(paise int64) string {
	digits := strconv.FormatInt(paise/100, 10)
	groups := digits
	if n := len(digits); n > 3 {
		groups = digits[n-3:]
		for rest := digits[:n-3]; rest != ""; {
			cut := max(0, len(rest)-2)
			groups = rest[cut:] + "," + groups
			rest = rest[:cut]
		}
	}
	if fraction := paise % 100; fraction != 0 {
		groups += "." + string([]byte{byte('0' + fraction/10), byte('0' + fraction%10)})
	}
	return "₹" + groups
}
