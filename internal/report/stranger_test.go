package report

import "testing"

// TestStrangersKnowTheirOwn: a name that is proposed must be one that is read.
func TestStrangersKnowTheirOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		known map[string]slot
	}{{AccountNames, accountMembers}, {EnquiryNames, enquiryMembers}} {
		for _, name := range c.names {
			var buf [maxName]byte
			if _, ok := c.known[string(squash(buf[:0], name))]; !ok {
				t.Errorf("%s is proposed and not read", name)
			}
		}
	}
}
