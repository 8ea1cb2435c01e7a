package place

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
)

// maxSpans is the maximum number of ranges of each address family. The whole
// internet has about half a million ranges.
const maxSpans = 8_000_000

// maxNames is the maximum number of countries in a table; ISO 3166 has 249.
const maxNames = 255

// Builder builds a table of countries from ranges of addresses. The zero
// Builder is ready to use.
type Builder struct {
	names   []string
	indexes map[string]uint8
	four    spanBuilder[uint32]
	six     spanBuilder[uint64]
}

// Add assigns the addresses from first to last to a country, given as two capital
// letters. Within IPv4 and within IPv6, ranges must be added in ascending order
// and must not overlap. Addresses between the ranges have no known country.
func (b *Builder) Add(first, last netip.Addr, country string) error {
	if !first.IsValid() || first.BitLen() != last.BitLen() || last.Less(first) {
		return errors.New("a range of addresses must end after it begins, in the same family")
	}
	index, err := b.index(country)
	if err != nil {
		return err
	}
	if first.Is4() {
		from, to := first.As4(), last.As4()
		return b.four.add(binary.BigEndian.Uint32(from[:]), binary.BigEndian.Uint32(to[:]), index)
	}
	from, to := first.As16(), last.As16()
	start, end := binary.BigEndian.Uint64(from[:8]), binary.BigEndian.Uint64(to[:8])
	// A /64 network that the range covers only in part stays unknown.
	if binary.BigEndian.Uint64(from[8:]) != 0 {
		if start == math.MaxUint64 {
			return nil
		}
		start++
	}
	if binary.BigEndian.Uint64(to[8:]) != math.MaxUint64 {
		if end == 0 {
			return nil
		}
		end--
	}
	if start > end {
		return nil
	}
	return b.six.add(start, end, index)
}

func (b *Builder) index(country string) (uint8, error) {
	if index, known := b.indexes[country]; known {
		return index, nil
	}
	if !isCountry(country) {
		return 0, errors.New("a country must be two capital letters")
	}
	if len(b.names) == 0 {
		b.names, b.indexes = []string{""}, map[string]uint8{}
	}
	if len(b.names) > maxNames {
		return 0, fmt.Errorf("a table holds at most %d countries", maxNames)
	}
	index := uint8(len(b.names))
	b.names = append(b.names, country)
	b.indexes[country] = index
	return index, nil
}

func isCountry(name string) bool {
	return len(name) == 2 && name[0] >= 'A' && name[0] <= 'Z' && name[1] >= 'A' && name[1] <= 'Z'
}

// Countries returns the finished table. The Builder must not be used
// afterwards.
func (b *Builder) Countries() *Countries {
	if len(b.names) == 0 {
		b.names = []string{""}
	}
	return &Countries{names: b.names, four: b.four.finish(), six: b.six.finish()}
}

// spanBuilder merges adjacent ranges of the same country and fills gaps with
// unknown.
type spanBuilder[A uint32 | uint64] struct {
	spans   spans[A]
	last    A // the last address that was added
	started bool
}

func (b *spanBuilder[A]) add(first, last A, country uint8) error {
	if b.started && first <= b.last {
		return errors.New("ranges of addresses must be in ascending order and must not overlap")
	}
	if b.started && first > b.last+1 {
		b.put(b.last+1, 0)
	}
	b.put(first, country)
	b.last, b.started = last, true
	if len(b.spans.starts) > maxSpans {
		return fmt.Errorf("a table holds at most %d ranges of addresses", maxSpans)
	}
	return nil
}

func (b *spanBuilder[A]) put(start A, country uint8) {
	n := len(b.spans.country)
	if n > 0 && b.spans.country[n-1] == country {
		return
	}
	b.spans.starts = append(b.spans.starts, start)
	b.spans.country = append(b.spans.country, country)
}

func (b *spanBuilder[A]) finish() spans[A] {
	if b.started && b.last != ^A(0) {
		b.put(b.last+1, 0)
	}
	return b.spans
}
