package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/masterkey"
	"verdict/internal/telemetry"
	"verdict/internal/tenant"
)

// Short names for types, to keep the table of settings readable.
type (
	prefixList  = []netip.Prefix
	rateSetting = tenant.Rate
	setter      = func(*Config, string) error
)

func text(field func(*Config) *string) setter {
	return func(c *Config, text string) error {
		*field(c) = text
		return nil
	}
}

func address(field func(*Config) *string, optional bool) setter {
	return func(c *Config, text string) error {
		*field(c) = text
		if text == "" && optional {
			return nil
		}
		_, port, err := net.SplitHostPort(text)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return errors.New("an address is written like 127.0.0.1:8080 or :8080")
		}
		return nil
	}
}

func wholeNumber[N int | int64](field func(*Config) *N, least, most N) setter {
	return func(c *Config, text string) error {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < int64(least) || n > int64(most) {
			return fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		*field(c) = N(n)
		return nil
	}
}

func ratio(field func(*Config) *float64) setter {
	return func(c *Config, text string) error {
		r, err := strconv.ParseFloat(text, 64)
		if err != nil || !(r >= 0 && r <= 1) {
			return errors.New("must be a number from 0 to 1")
		}
		*field(c) = r
		return nil
	}
}

func period(field func(*Config) *time.Duration, least, most time.Duration) setter {
	return func(c *Config, text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < least || d > most {
			return fmt.Errorf("must be a duration from %s to %s, such as 500ms, 20s or 2m", least, most)
		}
		*field(c) = d
		return nil
	}
}

// sizeUnits lists the units of sizes, in the order in which they are tried. A
// number without a unit is in bytes.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

func size(field func(*Config) *int64, least, most int64) setter {
	return func(c *Config, text string) error {
		wrong := fmt.Errorf("must be a size from %dKiB to %dMiB, such as 512KiB or 1MiB", least>>10, most>>20)
		for _, u := range sizeUnits {
			number, found := strings.CutSuffix(text, u.name)
			if !found {
				continue
			}
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil || n < 0 || n > most/u.bytes || n*u.bytes < least {
				return wrong
			}
			*field(c) = n * u.bytes
			return nil
		}
		return wrong
	}
}

func rate(field func(*Config) *rateSetting) setter {
	return func(c *Config, text string) error {
		r, err := tenant.ParseRate(text)
		*field(c) = r
		return err
	}
}

func quotas(c *Config, text string) (err error) {
	c.Plans, err = tenant.DefaultPricePlans().WithQuotas(text)
	return err
}

// planStorage sets the stored bytes of the plans. The setting of the quotas, which defines the plans, is parsed first.
func planStorage(c *Config, text string) error {
	if len(c.Plans.Names()) == 0 {
		return nil // the quotas were refused
	}
	plans, err := c.Plans.WithStorage(text)
	if err == nil {
		c.Plans = plans
	}
	return err
}

func prefixes(field func(*Config) *prefixList) setter {
	return func(c *Config, text string) error {
		var list prefixList
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			prefix, err := netip.ParsePrefix(part)
			if err != nil {
				return errors.New("must be networks separated by commas, such as 10.0.0.0/8,fd00::/8")
			}
			list = append(list, prefix.Masked())
		}
		*field(c) = list
		return nil
	}
}

// databaseURL checks only the scheme of the URL; package store parses the rest.
func databaseURL(c *Config, text string) error {
	scheme, rest, _ := strings.Cut(text, ":")
	if rest == "" || scheme != "sqlite" && scheme != "postgres" && scheme != "postgresql" {
		return errors.New("a database is written like sqlite:verdict.db or postgres://user:password@host:port/database")
	}
	c.DatabaseURL = text
	return nil
}

// errKeyItself is the error of a setting that names the file of a key, if it was given the key.
var errKeyItself = errors.New("must name the file that contains the key, not be the key")

func logKeySetting(c *Config, text string) error {
	if strings.Contains(text, "verdict-log-key-1 ") {
		return errKeyItself
	}
	c.LogKey = text
	return nil
}

func masterKeySetting(c *Config, text string) error {
	if strings.Contains(text, "verdict-master-key-1 ") {
		return errKeyItself
	}
	if text != "" && text != masterKeyOff {
		if _, err := masterkey.ParseSource(text); err != nil {
			return err
		}
	}
	c.MasterKey = text
	return nil
}

func signupMode(c *Config, text string) error {
	c.Signup = tenant.SignupMode(text)
	switch c.Signup {
	case tenant.SignupOpen, tenant.SignupInvite, tenant.SignupClosed:
		return nil
	}
	return errors.New("must be open, invite or closed")
}

func logLevel(c *Config, text string) error {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug,
		"info":  slog.LevelInfo,
		"warn":  slog.LevelWarn,
		"error": slog.LevelError,
	}
	level, ok := levels[strings.ToLower(text)]
	if !ok {
		return errors.New("must be debug, info, warn or error")
	}
	c.LogLevel = level
	return nil
}

func logFormat(c *Config, text string) error {
	if formats := telemetry.LogFormats(); !slices.Contains(formats, text) {
		return fmt.Errorf("must be one of %s", strings.Join(formats, ", "))
	}
	c.LogFormat = text
	return nil
}

func collector(c *Config, text string) error {
	c.OTLPEndpoint = text
	if text == "" {
		return nil
	}
	_, err := telemetry.CollectorURL(text)
	return err
}
