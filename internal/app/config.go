package app

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"verdict/internal/narrate"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// Config is everything an operator decides. Load fills it; each field has one
// line in the table of knobs, which says what it means.
type Config struct {
	Addr, MetricsAddr  string
	TLSCert, TLSKey    string
	TrustedProxies     []netip.Prefix
	MaxBody            int64
	MaxReport          int64
	MaxReading         int64
	MaxConnections     int
	MaxConnectionsEach int // of one address; 0 for no bound
	MaxInFlight        int
	ReadTimeout        time.Duration
	WriteTimeout       time.Duration
	IdleTimeout        time.Duration
	ShutdownDelay      time.Duration
	ShutdownGrace      time.Duration
	DatabaseURL        string
	Store              store.Options
	Plans              tenant.Plans
	Rates              tenant.Rates
	SignupRate         tenant.Rate
	RefusalRate        tenant.Rate
	StrangerRate       tenant.Rate
	Caps               usecase.Caps
	Signup             tenant.SignupMode
	SignupsEachDay     int // of one address
	Passwords          tenant.PasswordRules
	HashesAtOnce       int
	PlanCache          int
	BacktestWorkers    int
	BacktestDays       int // that rows are kept
	Narration          narrate.Config
	IPCountries        string
	LogLevel           slog.Level
	LogFormat          string
	OTLPEndpoint       string
	TraceRatio         float64
	Version, Commit    string           // of the binary; not a knob
	Now                func() time.Time // the clock, time.Now unless a test moves it; not a knob
}

// Settings are the knobs as the command line gave them.
type Settings struct{ flags map[string]*given }

// given is the value of a flag, and whether it was there at all: an operator
// may set a knob to nothing.
type given struct {
	text string
	set  bool
	def  string
}

// String is the default, for the help text.
func (g *given) String() string { return g.def }

// Set notes what was given; Load reads it, so that all mistakes are told at
// once and in the same words, wherever they were made.
func (g *given) Set(text string) error {
	g.text, g.set = text, true
	return nil
}

// Bind adds a flag for each knob, or for those that are named only.
func Bind(fs *flag.FlagSet, names ...string) *Settings {
	s := &Settings{flags: map[string]*given{}}
	for _, k := range knobs() {
		if len(names) > 0 && !slices.Contains(names, k.name) {
			continue
		}
		s.flags[k.name] = &given{def: k.def}
		fs.Var(s.flags[k.name], k.name, fmt.Sprintf("%s (`%s`; %s)", k.meaning, k.form, strings.Join(k.variables(), " or ")))
	}
	return s
}

// Load reads every knob: from its flag, else from its variable, else its
// default. A wrong value is told by the name under which it was given and never
// repeated, because it may be a password; all wrong values are told at once.
func (s *Settings) Load(getenv func(string) string) (Config, error) {
	var c Config
	var wrong []error
	for _, k := range knobs() {
		text, source := s.value(k, getenv)
		if err := k.set(&c, text); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", source, err))
		}
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		wrong = append(wrong, errors.New("-tls-cert and -tls-key: TLS needs both, and neither turns it off"))
	}
	wrong = append(wrong, c.wrongNarration()...)
	c.Plans = c.Plans.WithRates(c.Rates)
	if len(wrong) > 0 {
		return Config{}, errors.Join(wrong...)
	}
	return c, nil
}

// value finds the text of a knob and the name it was given under. A variable
// that is set to nothing counts as not set, as is the custom.
func (s *Settings) value(k knob, getenv func(string) string) (text, source string) {
	if g, bound := s.flags[k.name]; bound && g.set {
		return g.text, "-" + k.name
	}
	for _, variable := range k.variables() {
		if text := getenv(variable); text != "" {
			return text, variable
		}
	}
	return k.def, "-" + k.name
}

// UnknownVariables lists the VERDICT_ variables of an environment that no knob
// reads: a misspelt one would otherwise pass in silence.
func UnknownVariables(environ []string) []string {
	known := map[string]bool{}
	for _, k := range knobs() {
		for _, variable := range k.variables() {
			known[variable] = true
		}
	}
	var unknown []string
	for _, line := range environ {
		if name, _, _ := strings.Cut(line, "="); strings.HasPrefix(name, variablePrefix) && !known[name] {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
