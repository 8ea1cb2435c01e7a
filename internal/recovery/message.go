package recovery

import (
	"strconv"
	"strings"
	"unicode"

	"verdict/internal/civil"
)

// Message is what is said to the borrower with the next best action: a text to
// send, or the opening of a call. Its text is the template's with our figures
// in place; of what a lender sends about the borrower only a plain name and
// the end of the loan's number can stand in it.
type Message struct {
	Template string
	Language Language
	Text     string
}

// template names the text for an action.
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

// fill puts the figures into a template. What was put in is not looked at
// again, so nothing that a lender sends can name a placeholder.
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

// figure is what stands for a placeholder; parts whose figure is not known are
// left out.
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

// offered is what stands for a placeholder of a meeting or an offer.
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

// maxPersonName is how many letters of a name stand in a message.
const maxPersonName = 40

// personName is a name that is safe to greet with, or "": a name that holds
// anything but letters is more likely a link or an instruction than a name.
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

// loanTail is the end of a loan's number: enough for the borrower to know
// which, and nothing for whoever else reads the message.
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

// plainText is text without anything that could be markup or control, cut to
// a number of bytes.
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

// rupeeText is an amount as it is written in India: ₹1,82,000, with paise only
// where there are any.
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
