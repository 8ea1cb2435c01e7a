package tenant

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"

	"verdict/internal/fault"
)

// Cost holds the argon2id parameters of a password hash.
type Cost struct {
	MemoryKiB uint32
	Passes    uint32
	Lanes     uint8
}

// DefaultCost returns 19 MiB, two passes and one lane. That is the recommended
// minimum, and as much as a small machine can handle.
func DefaultCost() Cost { return Cost{MemoryKiB: 19 * 1024, Passes: 2, Lanes: 1} }

// Limits of a stored hash. The limits of the cost are far above the default cost and
// prevent a manipulated row from causing an allocation of gigabytes.
const (
	maxMemoryKiB = 256 * 1024
	maxPasses    = 32
	maxLanes     = 16
	maxEncoded   = 512
	minSalt      = 8
	minHash      = 16
	maxBytes     = 64 // of a salt or a hash
)

func (c Cost) valid() bool {
	return c.Passes >= 1 && c.Passes <= maxPasses && c.Lanes >= 1 && c.Lanes <= maxLanes &&
		c.MemoryKiB >= 8*uint32(c.Lanes) && c.MemoryKiB <= maxMemoryKiB
}

// encoded is a hash with its parameters and salt. Its text is in the PHC string
// format, which other argon2 libraries read too.
type encoded struct {
	cost       Cost
	salt, hash []byte
}

// b64 is base64 without padding.
var b64 = base64.RawStdEncoding

// String returns the PHC string: "$argon2id$v=19$m=19456,t=2,p=1$salt$hash".
func (e encoded) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		e.cost.MemoryKiB, e.cost.Passes, e.cost.Lanes, b64.EncodeToString(e.salt), b64.EncodeToString(e.hash))
}

// parseEncoded reads the text that String writes. For any other text it returns
// an error, which does not say what is wrong with the stored hash.
func parseEncoded(text string) (encoded, error) {
	wrong := fault.New(fault.Internal, fault.CodeInternalError, "a stored password hash cannot be read")
	if len(text) > maxEncoded {
		return encoded{}, wrong
	}
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return encoded{}, wrong
	}
	cost, ok := parseCost(parts[3])
	salt, saltErr := b64.DecodeString(parts[4])
	hash, hashErr := b64.DecodeString(parts[5])
	if !ok || saltErr != nil || hashErr != nil ||
		len(salt) < minSalt || len(salt) > maxBytes || len(hash) < minHash || len(hash) > maxBytes {
		return encoded{}, wrong
	}
	read := encoded{cost, salt, hash}
	if read.String() != text { // the text has leading zeros, or line breaks, which base64 ignores
		return encoded{}, wrong
	}
	return read, nil
}

// parseCost reads parameters such as "m=19456,t=2,p=1", in this order.
func parseCost(text string) (cost Cost, ok bool) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return Cost{}, false
	}
	var n [3]uint64
	for i, name := range []string{"m=", "t=", "p="} {
		digits, found := strings.CutPrefix(parts[i], name)
		size := 32
		if i == 2 {
			size = 8
		}
		var err error
		if n[i], err = strconv.ParseUint(digits, 10, size); err != nil || !found {
			return Cost{}, false
		}
	}
	cost = Cost{MemoryKiB: uint32(n[0]), Passes: uint32(n[1]), Lanes: uint8(n[2])}
	return cost, cost.valid()
}
