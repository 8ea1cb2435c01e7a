package backtest

// person is one applicant of the synthetic book and the outcome of the loan.
// Amounts are in rupees and foir is in hundredths.
type person struct {
	age, income, foir, amount, tenure  int64
	score, enquiries, tradelines, dpd  int64
	occupation                         *occupation
	newToCredit                        bool
	vintage                            int64 // month of origination, from 0
	badMonth                           int64 // month on book when 90 days past due; 0 if the loan was good
	risk                               int64 // log-odds of going bad, without the book's intercept
	drawnBad, drawnMonth, drawnVintage int64
}

// occupation is an employment type with its incomes and its risk.
type occupation struct {
	name      string
	share     int64 // applicants per 1,000
	logIncome int64 // logarithm of the median income in thousands of rupees, in units
	spread    int64 // standard deviation of the logarithm of income, in units
	risk      int64 // added to the log-odds, in units
	from, to  int64 // ages at which the occupation occurs; an applicant of another age is salaried
}

// occupations lists the occupations of applicants for unsecured loans in India:
// most are salaried, about a third are self-employed, and a few have occupations
// that most policies decline.
var occupations = []occupation{
	{name: "SALARIED", share: 620, logIncome: 252_000, spread: 33_000, risk: -4_000, to: 120},
	{name: "SELF_EMPLOYED", share: 205, logIncome: 242_000, spread: 39_000, risk: 12_000, to: 120},
	{name: "SELF_EMPLOYED_PROFESSIONAL", share: 85, logIncome: 268_000, spread: 39_000, risk: 2_000, to: 120},
	{name: "NON_SALARIED", share: 45, logIncome: 213_000, spread: 30_000, risk: 16_000, to: 120},
	{name: "RETIRED", share: 15, logIncome: 222_000, spread: 28_000, risk: 0, from: 55, to: 120},
	{name: "STUDENT", share: 12, logIncome: 163_000, spread: 26_000, risk: 16_000, to: 25},
	{name: "HOMEMAKER", share: 10, logIncome: 182_000, spread: 26_000, risk: 6_000, to: 120},
	{name: "UNEMPLOYED", share: 8, logIncome: 160_000, spread: 26_000, risk: 26_000, to: 120},
}

// draw generates the applicant of a row. quality is a hidden variable; a higher
// value means that the applicant handles debt better. Income, late payments,
// enquiries, obligations and the score all depend on it, which makes them
// correlated.
func draw(d draws) (p person) {
	quality := d.normal()
	p.age = 20 + d.beta()*46>>16
	p.occupation = occupationOf(d.below(1000), p.age)
	p.drawOutcome(&d)
	p.setIncome(d.normal() + quality/6)
	p.setRequest(&d)
	p.newToCredit = d.uniform() < newToCreditShare(p.age)
	p.setObligations(&d, quality)
	if p.newToCredit {
		p.setNoHistory(&d)
	} else {
		p.setHistory(&d, quality)
	}
	p.risk = p.logOdds()
	return p
}

// drawOutcome draws the numbers that determine the outcome. It must be called
// before the rest of the applicant is drawn. Otherwise the outcome would change
// if a later version of the model drew more or fewer numbers.
func (p *person) drawOutcome(d *draws) {
	p.drawnBad, p.drawnMonth = int64(d.next()>>32), d.beta()
	p.drawnVintage = d.uniform()
}

func occupationOf(of, age int64) *occupation {
	for i := range occupations {
		t := &occupations[i]
		if of < t.share && age >= t.from && age <= t.to {
			return t
		}
		of -= t.share
		if of < 0 {
			break
		}
	}
	return &occupations[0]
}

// newToCreditShare returns the probability, in units, that an applicant of the
// given age has no score.
func newToCreditShare(age int64) int64 {
	switch {
	case age < 25:
		return unit * 26 / 100
	case age < 30:
		return unit * 11 / 100
	default:
		return unit * 5 / 100
	}
}

// setIncome sets a log-normal income that rises with age until 45, rounded down
// to a hundred rupees.
func (p *person) setIncome(deviation int64) {
	log := p.occupation.logIncome + deviation*p.occupation.spread>>16 + (min(p.age, 45)-34)*900
	p.income = max(exp(log)*1000>>16/100*100, 3000)
}

// tenures lists the tenures that applicants ask for, in months.
var tenures = [...]int64{6, 12, 18, 24, 36, 48, 60}

// setRequest sets a log-normal amount of a few months' income, rounded down to
// five thousand rupees, and a tenure that grows with the amount.
func (p *person) setRequest(d *draws) {
	const step, least, most = 5_000, 20_000, 1_500_000
	months := exp(85_000 + d.normal()*45_000>>16) // the median is 3.7 times the monthly income
	p.amount = min(max(p.income*months>>16/step*step, least), most)
	place := d.below(4) // random variation around the tenure that the amount suggests
	switch {
	case p.amount >= 500_000:
		place += 3
	case p.amount >= 200_000:
		place += 2
	case p.amount >= 75_000:
		place++
	}
	p.tenure = tenures[place]
}

// setObligations sets the share of income that goes to obligations. Its
// distribution is close to a beta distribution; the share is higher for a low
// income or a low quality.
func (p *person) setObligations(d *draws, quality int64) {
	foir := d.beta() + unit/50 - quality*3_000>>16
	if p.income < 25_000 {
		foir += unit * 4 / 100
	}
	if p.newToCredit {
		foir /= 2 // an applicant without credit history has obligations such as rent but no instalments
	}
	p.foir = min(max(foir*100>>16, 0), 95)
}

// setNoHistory sets the bureau fields of an applicant without a score: -1 for no
// file, or an index from 1 to 6 for a file that is too thin to score.
func (p *person) setNoHistory(d *draws) {
	p.score = -1
	if d.below(5) < 2 {
		p.score = 1 + d.below(6)
	}
	p.enquiries = d.poisson(unit*9/10, 12)
}

// setHistory sets the bureau fields of an applicant with accounts.
func (p *person) setHistory(d *draws, quality int64) {
	p.dpd = maxDPD((-quality*46_000+d.normal()*46_000)>>16, d)
	p.enquiries = d.poisson(exp(38_000-quality*24_000>>16), 25)
	p.tradelines = 1 + d.poisson(unit*14/10+(p.age-20)*unit*9/100, 24)
	centre := 697 + quality*42>>16 - latePoints(p.dpd) - 4*min(p.enquiries, 12) - (p.foir-33)*4/10 +
		min(p.tradelines, 6)*3
	for range 8 {
		if p.score = centre + d.normal()*40>>16; p.score >= 300 && p.score <= 900 {
			return
		}
	}
	p.score = min(max(p.score, 300), 900)
}

// maxDPD converts trouble into the maximum days past due: 0 for most applicants,
// a few days for some, and 90 or more for few. trouble is a normal number; a
// higher value means worse repayment in the last year.
func maxDPD(trouble int64, d *draws) int64 {
	switch {
	case trouble < unit*100/100:
		return 0
	case trouble < unit*150/100:
		return 1 + d.below(29)
	case trouble < unit*185/100:
		return 30 + d.below(30)
	case trouble < unit*220/100:
		return 60 + d.below(30)
	default:
		return 90 + d.below(90)
	}
}

func latePoints(dpd int64) int64 {
	switch {
	case dpd == 0:
		return -6
	case dpd < 30:
		return 18
	case dpd < 60:
		return 48
	case dpd < 90:
		return 75
	default:
		return 105
	}
}

// logOdds returns the log-odds of going bad, in units, computed from the
// applicant's fields. It does not include the intercept of the book.
func (p *person) logOdds() int64 {
	z := p.occupation.risk + (p.foir-33)*1_300 + min(p.enquiries, 12)*7_000 - incomeOverMedian(p.income)
	switch {
	case p.score >= 300:
		z += (700 - p.score) * 580
	case p.score >= 1:
		z += 52_000 + (4-p.score)*9_000
	default:
		z += 52_000
	}
	switch {
	case p.dpd == 0:
	case p.dpd < 30:
		z += 16_000
	case p.dpd < 60:
		z += 36_000
	default:
		z += 60_000
	}
	return z
}

// incomeOverMedian returns the number to subtract from the log-odds because of the income. The number is 0 at
// 40,000 rupees. It rises by a quarter of a unit for every doubling of the income above, and falls by a quarter for
// every halving below, within bounds. In between it is interpolated linearly.
func incomeOverMedian(income int64) (off int64) {
	const quarter = unit / 4
	level := int64(40_000)
	for ; income >= 2*level && off < 4*quarter; level *= 2 {
		off += quarter
	}
	for ; income < level && off > -3*quarter; level /= 2 {
		off -= quarter
	}
	return off + quarter*min(max(income-level, 0), level)/level
}
