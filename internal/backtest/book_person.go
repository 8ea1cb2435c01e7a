package backtest

// person is one applicant of the synthetic book and what became of the loan.
// Amounts are rupees, foir is in hundredths.
type person struct {
	age, income, foir, amount, tenure  int64
	score, enquiries, tradelines, dpd  int64
	trade                              *trade
	newToCredit                        bool
	vintage                            int64 // month of origination, from 0
	badMonth                           int64 // month on book of 90 days past due; 0: the loan was good
	risk                               int64 // logarithm of the odds of going bad, less the book's intercept
	drawnBad, drawnMonth, drawnVintage int64
}

// trade is a way of earning a living.
type trade struct {
	name      string
	share     int64 // of 1,000 applicants
	logIncome int64 // of the median income in thousands, in units
	spread    int64 // of the logarithm of income, in units
	risk      int64 // added to the logarithm of the odds, in units
	from, to  int64 // the ages at which it occurs; others are salaried
}

// trades are those of applicants for unsecured loans in India: mostly salaried,
// a third self-employed, a few whom most policies refuse.
var trades = []trade{
	{name: "SALARIED", share: 620, logIncome: 252_000, spread: 33_000, risk: -4_000, to: 120},
	{name: "SELF_EMPLOYED", share: 205, logIncome: 242_000, spread: 39_000, risk: 12_000, to: 120},
	{name: "SELF_EMPLOYED_PROFESSIONAL", share: 85, logIncome: 268_000, spread: 39_000, risk: 2_000, to: 120},
	{name: "NON_SALARIED", share: 45, logIncome: 213_000, spread: 30_000, risk: 16_000, to: 120},
	{name: "RETIRED", share: 15, logIncome: 222_000, spread: 28_000, risk: 0, from: 55, to: 120},
	{name: "STUDENT", share: 12, logIncome: 163_000, spread: 26_000, risk: 16_000, to: 25},
	{name: "HOMEMAKER", share: 10, logIncome: 182_000, spread: 26_000, risk: 6_000, to: 120},
	{name: "UNEMPLOYED", share: 8, logIncome: 160_000, spread: 26_000, risk: 26_000, to: 120},
}

// draw makes the applicant of a row. quality, how somebody treats debts, is
// what nobody sees: late payments, enquiries, obligations and the score all
// lean on it, which is where their correlations come from.
func draw(d draws) (p person) {
	quality := d.normal()
	p.age = 20 + d.beta()*46>>16
	p.trade = earns(d.below(1000), p.age)
	p.draws(&d)
	p.earn(d.normal() + quality/6)
	p.ask(&d)
	p.newToCredit = d.share() < youngerNewer(p.age)
	p.owe(&d, quality)
	if p.newToCredit {
		p.unknownToBureau(&d)
	} else {
		p.history(&d, quality)
	}
	p.risk = p.logOdds()
	return p
}

// draws takes what the outcome needs at once, so that it does not move when
// the model of the applicant takes one number more or less.
func (p *person) draws(d *draws) {
	p.drawnBad, p.drawnMonth = int64(d.next()>>32), d.beta()
	p.drawnVintage = d.share()
}

func earns(of, age int64) *trade {
	for i := range trades {
		t := &trades[i]
		if of < t.share && age >= t.from && age <= t.to {
			return t
		}
		of -= t.share
		if of < 0 {
			break
		}
	}
	return &trades[0]
}

// youngerNewer is the chance of having no score, in units.
func youngerNewer(age int64) int64 {
	switch {
	case age < 25:
		return unit * 26 / 100
	case age < 30:
		return unit * 11 / 100
	default:
		return unit * 5 / 100
	}
}

// earn sets a log-normal income that rises with age until 45, to a hundred
// rupees.
func (p *person) earn(deviation int64) {
	log := p.trade.logIncome + deviation*p.trade.spread>>16 + (min(p.age, 45)-34)*900
	p.income = max(exp(log)*1000>>16/100*100, 3000)
}

// tenures are those people ask for, the short ones for small amounts.
var tenures = [...]int64{6, 12, 18, 24, 36, 48, 60}

// ask sets an amount of a few months' income, log-normal and to five thousand
// rupees, and a tenure that grows with it.
func (p *person) ask(d *draws) {
	const step, least, most = 5_000, 20_000, 1_500_000
	months := exp(85_000 + d.normal()*45_000>>16) // the median is 3.7 months' income
	p.amount = min(max(p.income*months>>16/step*step, least), most)
	place := d.below(4) // around the tenure that the amount suggests
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

// owe sets the share of income that is spoken for: beta-like, higher for those
// with little income or little care.
func (p *person) owe(d *draws, quality int64) {
	foir := d.beta() + unit/50 - quality*3_000>>16
	if p.income < 25_000 {
		foir += unit * 4 / 100
	}
	if p.newToCredit {
		foir /= 2 // rent and a phone, no instalments
	}
	p.foir = min(max(foir*100>>16, 0), 95)
}

// unknownToBureau is an applicant without a score: nothing on file, or an
// index from 1 to 6 for a file too thin to score.
func (p *person) unknownToBureau(d *draws) {
	p.score = -1
	if d.below(5) < 2 {
		p.score = 1 + d.below(6)
	}
	p.enquiries = d.poisson(unit*9/10, 12)
}

// history is what the bureau knows of somebody with accounts.
func (p *person) history(d *draws, quality int64) {
	p.dpd = late((-quality*46_000+d.normal()*46_000)>>16, d)
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

// late turns how badly the last year went, a standard normal, into the most
// days past due: for most none, for some a few days, for few a quarter and more.
func late(trouble int64, d *draws) int64 {
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

// logOdds is the logarithm of the odds of going bad, in units, from what is
// known of the applicant; the book's intercept is added to it.
func (p *person) logOdds() int64 {
	z := p.trade.risk + (p.foir-33)*1_300 + min(p.enquiries, 12)*7_000 - incomeOverMedian(p.income)
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

// incomeOverMedian is what an income takes off the logarithm of the odds: a
// quarter of a unit for every doubling over 40,000 rupees, counted on straight
// lines between the doublings.
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
