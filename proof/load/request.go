package load

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Kind is the kind of a request.
type Kind uint8

// The kinds of requests, in the order of a Mix.
const (
	Decide Kind = iota
	Evaluate
	Preview
	Read
	kinds
)

var kindNames = [kinds]string{"decisions", "evaluate", "preview", "get"}

// Endpoint returns the name under which the usage counts the kind, or "" for
// kinds that are not stored.
func (k Kind) Endpoint() string {
	switch k {
	case Decide:
		return "POST /v1/decisions"
	case Evaluate:
		return "POST /v1/evaluate"
	case Preview, Read, kinds:
	}
	return ""
}

// Mix holds the weight of each kind of request.
type Mix [kinds]int

// DefaultMix returns a mix of mostly decisions.
func DefaultMix() Mix { return Mix{80, 10, 5, 5} }

// ParseMix parses weights such as "80,10,5,5".
func ParseMix(text string) (m Mix, err error) {
	parts := strings.Split(text, ",")
	sum := 0
	for i := range m {
		if len(parts) == len(m) {
			m[i], err = strconv.Atoi(strings.TrimSpace(parts[i]))
		}
		if len(parts) != len(m) || err != nil || m[i] < 0 {
			return Mix{}, fmt.Errorf("a mix is the weights of %s, such as 80,10,5,5", strings.Join(kindNames[:], ", "))
		}
		sum += m[i]
	}
	if sum == 0 {
		return Mix{}, fmt.Errorf("a mix needs a weight above 0")
	}
	return m, nil
}

func (m Mix) String() string {
	parts := make([]string, len(m))
	for i, weight := range m {
		parts[i] = kindNames[i] + " " + strconv.Itoa(weight)
	}
	return strings.Join(parts, ", ")
}

// draw returns a random kind according to the weights.
func (m Mix) draw(random *rand.Rand) Kind {
	sum := 0
	for _, weight := range m {
		sum += weight
	}
	at := random.IntN(sum)
	for k, weight := range m {
		if at -= weight; at < 0 {
			return Kind(k)
		}
	}
	return Decide
}

// bookSize is the number of different applications that each tenant sends.
const bookSize = 24

var employments = []string{"SALARIED", "SELF_EMPLOYED", "SALARIED", "SELF_EMPLOYED_PROFESSIONAL"}

// application returns the body of a decision or a preview. Most applications
// are approved; some are declined or referred.
func application(i int) string {
	overdue := 0
	if i%8 == 5 {
		overdue = 75
	}
	return fmt.Sprintf(`{"applicant":{"id":"LOAD-%d","age":%d,"employment_type":%q,"monthly_income":%d,"foir":%g,`+
		`"requested_amount":%d,"tenure_months":36},`+
		`"bureau_report":{"score":%d,"enquiries_6m":%d,"active_tradelines":%d,"max_dpd_12m":%d}}`,
		i, 24+i*7%30, employments[i%len(employments)], 30_000+i*8_300%90_000, float64(12+i*11%40)/100,
		150_000+i*70_000%600_000, 690+i*29%150, i*5%6, 2+i%5, overdue)
}

// evaluation returns the body of an evaluate request with a small bureau
// report.
func evaluation(i int) string {
	return fmt.Sprintf(
		`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":%d},`+
			`"demographics":{"age":%d,"employmentType":"salaried"},`+
			`"incomeAssessment":{"monthlyIncome":%d,"foir":%d},"requestedAmount":%d,"accounts":[`+
			`{"accountType":"personal_loan","openDate":"2024-02-11","status":"active","sanctionedAmount":200000,`+
			`"currentBalance":120000,"amountOverdue":0,"emi":6900},`+
			`{"accountType":"credit_card","openDate":"2021-06-01","status":"active","sanctionedAmount":80000,`+
			`"currentBalance":12000,"amountOverdue":0}]}}}`,
		700+i*31%140, 24+i*7%30, 30_000+i*8_300%90_000, 12+i*11%40, 150_000+i*70_000%600_000)
}

// book holds the requests of one key as bytes, by kind. Requests of kind Read
// are built when they are sent, because they read earlier decisions.
type book [kinds][][]byte

func newBook(host, key string) *book {
	b := &book{}
	for i := range bookSize {
		b[Decide] = append(b[Decide], post(host, key, "/v1/decisions", application(i)))
		b[Preview] = append(b[Preview], post(host, key, "/v1/decisions/preview", application(i)))
		b[Evaluate] = append(b[Evaluate], post(host, key, "/v1/evaluate", evaluation(i)))
	}
	b[Read] = [][]byte{get(host, key, "/v1/usage")} // sent until there is a decision to read
	return b
}

func post(host, key, path, body string) []byte {
	return fmt.Appendf(nil,
		"POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s", path, host, key, len(body), body)
}

func get(host, key, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, host, key)
}
