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

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/narrate"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// Config is the configuration of the service. Load fills it; the table of
// settings explains each field.
type Config struct {
	Addr, MetricsAddr  string
	TLSCert, TLSKey    string
	TrustedProxies     []netip.Prefix
	MaxBody            int64
	MaxReport          int64
	MaxReading         int64
	MaxConnections     int
	MaxConnectionsEach int // limit for one address; 0 for no limit
	MaxInFlight        int
	ReadTimeout        time.Duration
	WriteTimeout       time.Duration
	IdleTimeout        time.Duration
	ShutdownDelay      time.Duration
	ShutdownGrace      time.Duration
	DatabaseURL        string
	LogKey             string // the file, "off", or "" for the default
	LogSigned          string // the folder, or "" for the folder of the key
	MasterKey          string // file:PATH, env:NAME, exec:COMMAND, "off", or "" for the default
	Store              store.Options
	Plans              tenant.PricePlans
	Rates              tenant.Rates
	SignupRate         tenant.Rate
	RefusalRate        tenant.Rate
	StrangerRate       tenant.Rate
	Caps               usecase.Caps
	Signup             tenant.SignupMode
	SignupsEachDay     int // limit for one address
	Passwords          tenant.PasswordRules
	HashesAtOnce       int
	PlanCache          int
	BacktestWorkers    int
	BacktestDays       int // how many days the rows of backtests are kept
	BatchDays          int // how many days the results of batches are kept
	Narration          narrate.Config
	WebhookAllow       []netip.Prefix // networks to which webhooks may be sent although they are not public
	SignOn             signOnConfig
	IPCountries        string
	LogLevel           slog.Level
	LogFormat          string
	OTLPEndpoint       string
	TraceRatio         float64
	Version, Commit    string               // of the binary; not a setting
	Now                func() time.Time     // the clock, time.Now unless a test replaces it; not a setting
	Connections        []account.Connection // New reads them from the file of SignOn; not a setting
	Atlas              *signal.Atlas        // New reads it from IPCountries; not a setting
}

// Settings holds the flags that were given on the command line.
type Settings struct{ flags map[string]*flagValue }

// flagValue is the value of a flag, and whether the flag was given: a flag that
// was given may have an empty value.
type flagValue struct {
	text string
	set  bool
	def  string
}

// String returns the default, for the help text.
func (g *flagValue) String() string { return g.def }

// Set stores the text of a flag. Load parses the text later, so that all errors
// are reported together and in the same form, whether they come from flags or
// from variables.
func (g *flagValue) Set(text string) error {
	g.text, g.set = text, true
	return nil
}

// Bind adds a flag to fs for each setting. If names are given, it adds only the flags of these settings.
func Bind(fs *flag.FlagSet, names ...string) *Settings {
	s := &Settings{flags: map[string]*flagValue{}}
	for _, k := range settings {
		if len(names) > 0 && !slices.Contains(names, k.name) {
			continue
		}
		s.flags[k.name] = &flagValue{def: k.def}
		fs.Var(s.flags[k.name], k.name,
			fmt.Sprintf("%s (`%s`; %s)", k.meaning, k.form, strings.Join(k.variables(), " or ")))
	}
	return s
}

// Load reads every setting: from its flag, otherwise from its environment variable, otherwise its default. It
// returns the errors for all wrong values together. Each error names the flag or the variable. It does not repeat
// the value, because the value may be a password. Only an error about the quotas may repeat the name of a plan.
func (s *Settings) Load(getenv func(string) string) (Config, error) {
	var c Config
	var wrong []error
	for _, k := range settings {
		text, source := s.value(k, getenv)
		if err := k.set(&c, text); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", source, err))
		}
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		wrong = append(wrong, errors.New("-tls-cert and -tls-key: give both to serve with TLS, or neither"))
	}
	wrong = append(wrong, c.wrongNarration()...)
	if c.SignOn.File != "" && c.SignOn.URL == "" {
		wrong = append(wrong, errors.New("-sign-on and -sign-on-url: sign-on needs the public address of this service"))
	}
	c.Plans = c.Plans.WithRates(c.Rates)
	if len(wrong) > 0 {
		return Config{}, errors.Join(wrong...)
	}
	return c, nil
}

// value returns the text of a setting, and the name of the flag or variable
// that the text comes from. An empty variable counts as not set.
func (s *Settings) value(k setting, getenv func(string) string) (text, source string) {
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

// UnknownVariables returns the VERDICT_ variables of an environment that no
// setting reads, so that misspelt names are noticed.
func UnknownVariables(environ []string) []string {
	known := knownVariables()
	var unknown []string
	for _, line := range environ {
		if name, _, _ := strings.Cut(line, "="); strings.HasPrefix(name, variablePrefix) &&
			!slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// LikelyVariable returns the variable that was probably meant by an unknown one, or "" if none is similar.
func LikelyVariable(unknown string) string {
	var known []string // without the prefix, which says nothing about what was meant
	for _, variable := range knownVariables() {
		if name, found := strings.CutPrefix(variable, variablePrefix); found {
			known = append(known, name)
		}
	}
	near, _ := fault.Suggest(strings.TrimPrefix(unknown, variablePrefix), known, false)
	if near == "" {
		return ""
	}
	return variablePrefix + near
}

// knownVariables returns the variables of all settings.
func knownVariables() (names []string) {
	for _, k := range settings {
		names = append(names, k.variables()...)
	}
	return names
}
