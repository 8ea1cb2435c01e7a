package tenant

// Environment separates a tenant's tests from its real lending. Each environment
// has its own keys, policies, decisions, counters and usage.
//
// The zero Environment is invalid, so that an environment that was not set does
// not count as sandbox.
type Environment string

// The two environments.
const (
	Sandbox Environment = "sandbox"
	Live    Environment = "live"
)

// Environments returns both environments, in display order.
func Environments() []Environment { return []Environment{Sandbox, Live} }

// Valid reports whether e is one of the two environments.
func (e Environment) Valid() bool { return e == Sandbox || e == Live }

// ParseEnvironment reads an environment's name.
func ParseEnvironment(text string) (e Environment, ok bool) {
	if e = Environment(text); !e.Valid() {
		return "", false
	}
	return e, true
}
