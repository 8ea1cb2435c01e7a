package tenant

// Environment separates what a tenant tries out from what it lends by. Each
// has its own keys, policies, decisions, counters and usage.
//
// The zero Environment is neither, so that one that was never set cannot pass
// for sandbox.
type Environment string

// The two environments.
const (
	Sandbox Environment = "sandbox"
	Live    Environment = "live"
)

// Environments lists both, in the order they are shown.
func Environments() []Environment { return []Environment{Sandbox, Live} }

// Valid reports whether e is one of the two.
func (e Environment) Valid() bool { return e == Sandbox || e == Live }

// ParseEnvironment reads an environment's name.
func ParseEnvironment(text string) (e Environment, ok bool) {
	if e = Environment(text); !e.Valid() {
		return "", false
	}
	return e, true
}
