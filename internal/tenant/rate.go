package tenant

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate configures a token bucket. The bucket has at most Burst tokens, and gains
// Allowance tokens in each Window at a constant rate.
type Rate struct {
	Allowance int
	Window    time.Duration
	Burst     int
}

// Rates are the rate limits of each key of a plan.
type Rates struct {
	Decide   Rate // the decision endpoints
	Write    Rate // writes of configuration
	Backtest Rate
}

// DefaultRates returns the rates that apply to every plan unless configured
// otherwise.
func DefaultRates() Rates {
	return Rates{
		Decide:   Rate{500, time.Second, 1000},
		Write:    Rate{60, time.Minute, 60},
		Backtest: Rate{30, time.Minute, 30},
	}
}

// DefaultSignupRate returns the default rate limit of signups for each network
// address.
func DefaultSignupRate() Rate { return Rate{60, time.Minute, 20} }

// LoginRates are the rate limits for sign-ups and for attempts with a password. An
// attempt with the right password returns its tokens, so that only failures count.
type LoginRates struct {
	Account Rate // for each pair of e-mail and network address, each known browser, and each change of a password
	Address Rate // for each network address
	Signup  Rate // for signups from each network address
	// Everywhere is the limit for each e-mail address over all network addresses.
	// Attempts beyond the limit are delayed, and refused only if too many are being
	// delayed.
	Everywhere Rate
}

// DefaultLoginRates returns the default login rates. They let a person mistype a
// password ten times in a row. They also allow for the people of an office, who
// share one network address.
func DefaultLoginRates() LoginRates {
	return LoginRates{
		Account:    Rate{30, time.Hour, 10},
		Address:    Rate{240, time.Hour, 40},
		Signup:     DefaultSignupRate(),
		Everywhere: Rate{120, time.Hour, 60},
	}
}

// PerSecond returns the number of tokens gained per second.
func (r Rate) PerSecond() float64 { return float64(r.Allowance) / r.Window.Seconds() }

var rateWindows = []struct {
	name   string
	window time.Duration
}{{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}}

// String writes the rate in the format that ParseRate reads. A window other than a second, a minute or an hour is
// written as a duration, which ParseRate refuses.
func (r Rate) String() string {
	for _, w := range rateWindows {
		if w.window == r.Window {
			return fmt.Sprintf("%d/%s burst %d", r.Allowance, w.name, r.Burst)
		}
	}
	return fmt.Sprintf("%d/%s burst %d", r.Allowance, r.Window, r.Burst)
}

const maxRate = 1_000_000_000

// ParseRate reads a setting such as "500/s burst 1000" or "60/m". Without a burst,
// the burst equals the allowance. The windows are "s", "m" and "h".
func ParseRate(text string) (Rate, error) {
	wrong := fmt.Errorf("a rate must look like 500/s burst 1000 or 60/m, "+
		"with whole numbers from 1 to %d and a window of s, m or h", maxRate)
	words := strings.Fields(text)
	if len(words) != 1 && (len(words) != 3 || words[1] != "burst") {
		return Rate{}, wrong
	}
	allowance, window, _ := strings.Cut(words[0], "/")
	count := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxRate {
			return 0
		}
		return n
	}
	r := Rate{Allowance: count(allowance)}
	for _, w := range rateWindows {
		if w.name == window {
			r.Window = w.window
		}
	}
	r.Burst = r.Allowance
	if len(words) == 3 {
		r.Burst = count(words[2])
	}
	if r.Allowance == 0 || r.Window == 0 || r.Burst == 0 {
		return Rate{}, wrong
	}
	return r, nil
}
