package recovery

import (
	"strconv"
	"strings"

	"verdict/internal/civil"
)

// Language is the language of a message.
type Language uint8

// The languages for which there are templates.
const (
	English Language = iota
	Hindi
)

var languageNames = []string{English: "en", Hindi: "hi"}

// String returns the language's code.
func (l Language) String() string { return languageNames[l] }

// phrasebook holds the templates of one language. Templates ask, offer and
// inform. No template threatens, shames or puts pressure on the borrower, or
// mentions the borrower's family, neighbours or employer.
type phrasebook struct {
	customer, named string // greetings
	loan, numbered  string // the loan without and with its number
	emi, since      string // phrases that are left out if the figure is unknown
	months          [12]string
	closings        [3]string // by tone
	bodies          map[string]string
}

func (p *phrasebook) greet(name string) string {
	if name == "" {
		return p.customer
	}
	return p.named + " " + name + ","
}

// part returns the phrase with "%" replaced by the figure. It returns "" if the figure is unknown.
func (p *phrasebook) part(around, figure string, known bool) string {
	if !known {
		return ""
	}
	return strings.Replace(around, "%", figure, 1)
}

// date formats a date in words.
func (p *phrasebook) date(d civil.Day) string {
	year, month, n := d.Midnight().Date()
	return strconv.Itoa(n) + " " + p.months[month-1] + " " + strconv.Itoa(year)
}

var phrases = [...]phrasebook{English: english, Hindi: hindi}

var english = phrasebook{
	customer: "Dear customer,", named: "Dear",
	loan: "your loan", numbered: "your loan ending %",
	emi: " of %", since: " since %",
	months: [12]string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
		"December",
	},
	closings: [3]string{
		Gentle:  "If something makes paying difficult at present, tell us and we will look for a way.",
		Neutral: "Please call us if you would like to talk about it.",
		Firm:    "Please get in touch with us, so that we can find a way together.",
	},
	bodies: map[string]string{
		"due_soon": "the instalment{emi} on {loan} is due on {due}. Please keep the amount ready in your " +
			"account.",
		"overdue_1": "{amount} on {loan} is overdue{since}. Please pay when you can; if you have paid " +
			"already, thank you, and please ignore this message.",
		"overdue_2": "{amount} on {loan} has been overdue for {dpd} days. Please pay, or tell us when you can.",
		"overdue_3": "{amount} on {loan} has been overdue for {dpd} days. Please talk to us about how it " +
			"can be brought up to date.",
		"payment_link": "{amount} on {loan} is overdue{since}. You can pay through the link that comes with " +
			"this message.",
		"nach_notice": "we will present your mandate for {amount} on {loan} again on {day}. Please keep the " +
			"amount ready in your account.",
		"call_1": "we are calling about {amount} on {loan}, overdue{since}. When would it suit you to pay?",
		"call_2": "we are calling about {amount} on {loan}, overdue for {dpd} days. What would help you " +
			"to bring it up to date?",
		"call_3": "we are calling about {amount} on {loan}, overdue for {dpd} days. Shall we look " +
			"together at what is possible?",
		"ptp_broken_1": "the payment{promised} that you had planned for {promise_date} has not reached us yet, " +
			"and {amount} on {loan} is overdue. When can you pay?",
		"ptp_broken_2": "the payment{promised} that you had planned for {promise_date} has not reached us, and " +
			"{amount} on {loan} is overdue. Shall we agree on a date and an amount that suit you better?",
		"ptp_broken_3": "several payments that you had planned have not reached us, and {amount} on {loan} is " +
			"overdue. We would like to understand what stands in the way and find a plan that works.",
		"visit_notice": "our representative would like to meet you on {day} between {from} and {to} about " +
			"{amount} on {loan}, and will show identification. If another time or place suits you better, please " +
			"tell us.",
		"restructure_offer": "we can look at a longer schedule for {loan}: {months} months with an instalment of " +
			"{new_emi}. It needs approval, and it changes how the loan is reported to credit bureaus.",
		"settlement_offer": "{loan} can be settled for {settle} or more, paid in up to {parts} monthly parts, once " +
			"that is approved. A settlement is reported to credit bureaus.",
		"legal_notice": "a written notice about {amount} on {loan} is on its way to you. It says what is due and " +
			"how to answer. You can talk to us at any time, before and after it arrives.",
	},
}

var hindi = phrasebook{
	customer: "प्रिय ग्राहक,", named: "प्रिय",
	loan: "आपके ऋण", numbered: "आपके ऋण (अंत में %)",
	emi: " %", since: " % से",
	months: [12]string{
		"जनवरी", "फ़रवरी", "मार्च", "अप्रैल", "मई", "जून", "जुलाई", "अगस्त", "सितंबर", "अक्टूबर", "नवंबर", "दिसंबर",
	},
	closings: [3]string{
		Gentle:  "यदि अभी भुगतान में कोई कठिनाई है, तो हमें बताएँ, हम मिलकर रास्ता खोजेंगे।",
		Neutral: "यदि आप इस बारे में बात करना चाहें, तो कृपया हमें कॉल करें।",
		Firm:    "कृपया हमसे संपर्क करें, ताकि हम साथ मिलकर कोई रास्ता निकाल सकें।",
	},
	bodies: map[string]string{
		"due_soon": "{loan} की किस्त{emi} {due} को देय है। कृपया राशि अपने खाते में तैयार रखें।",
		"overdue_1": "{loan} पर {amount}{since} बकाया है। कृपया जब संभव हो भुगतान करें; यदि आप भुगतान कर " +
			"चुके हैं, तो धन्यवाद, कृपया इस संदेश को अनदेखा करें।",
		"overdue_2": "{loan} पर {amount} {dpd} दिनों से बकाया है। कृपया भुगतान करें, या बताएँ कि आप कब कर " +
			"सकेंगे।",
		"overdue_3": "{loan} पर {amount} {dpd} दिनों से बकाया है। कृपया हमसे बात करें कि इसे कैसे नियमित " +
			"किया जा सकता है।",
		"payment_link": "{loan} पर {amount}{since} बकाया है। आप इस संदेश के साथ भेजे गए लिंक से भुगतान कर सकते " +
			"हैं।",
		"nach_notice": "{loan} के {amount} के लिए आपका मैंडेट {day} को फिर से प्रस्तुत किया जाएगा। कृपया राशि " +
			"अपने खाते में तैयार रखें।",
		"call_1": "हम {loan} पर{since} बकाया {amount} के बारे में बात करना चाहते हैं। आपके लिए भुगतान " +
			"करना कब सुविधाजनक होगा?",
		"call_2": "हम {loan} पर {dpd} दिनों से बकाया {amount} के बारे में बात करना चाहते हैं। इसे नियमित " +
			"करने में हम आपकी क्या सहायता कर सकते हैं?",
		"call_3": "हम {loan} पर {dpd} दिनों से बकाया {amount} के बारे में बात करना चाहते हैं। क्या हम " +
			"साथ मिलकर देखें कि क्या संभव है?",
		"ptp_broken_1": "आपने {promise_date} तक{promised} के भुगतान की योजना बताई थी, वह अभी हमें नहीं मिला " +
			"है, और {loan} पर {amount} बकाया है। आप कब भुगतान कर सकेंगे?",
		"ptp_broken_2": "आपने {promise_date} तक{promised} के भुगतान की योजना बताई थी, वह हमें नहीं मिला है, और " +
			"{loan} पर {amount} बकाया है। क्या हम ऐसी तारीख और राशि तय करें जो आपके लिए अधिक सुविधाजनक हो?",
		"ptp_broken_3": "आपके बताए हुए कुछ भुगतान हमें नहीं मिले हैं, और {loan} पर {amount} बकाया है। हम समझना " +
			"चाहते हैं कि कठिनाई क्या है, और ऐसी योजना खोजना चाहते हैं जो आपके लिए चल सके।",
		"visit_notice": "हमारे प्रतिनिधि {loan} पर बकाया {amount} के बारे में {day} को {from} और {to} के बीच " +
			"आपसे मिलना चाहेंगे, और अपना पहचान पत्र दिखाएँगे। यदि कोई दूसरा समय या स्थान सुविधाजनक हो, तो कृपया " +
			"हमें बताएँ।",
		"restructure_offer": "हम {loan} के लिए लंबी अवधि पर विचार कर सकते हैं: {months} महीने, {new_emi} की किस्त " +
			"के साथ। इसके लिए स्वीकृति आवश्यक है, और इससे क्रेडिट ब्यूरो में ऋण की जानकारी बदलेगी।",
		"settlement_offer": "स्वीकृति मिलने पर {loan} का निपटान {settle} या उससे अधिक में, अधिकतम {parts} मासिक " +
			"भागों में, किया जा सकता है। निपटान की जानकारी क्रेडिट ब्यूरो को दी जाती है।",
		"legal_notice": "{loan} पर बकाया {amount} के बारे में एक लिखित सूचना आपको भेजी जा रही है। उसमें लिखा है कि " +
			"क्या देय है और उत्तर कैसे दें। आप उससे पहले और बाद में, कभी भी हमसे बात कर सकते हैं।",
	},
}
