// Package mmdb reads the country of addresses from a file in the MaxMind DB
// format, so that an operator can put a newer or a better table in place of the
// one in the binary. The file is read once and turned into a table of package
// place; nothing of it is kept.
package mmdb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"

	"verdict/internal/place"
)

// A tree has one leaf more than it has nodes, but the part for IPv4 may hang in
// it several times, below the networks that carry IPv4 inside IPv6. A file whose
// branches otherwise lead back into one another would be walked for ever, so the
// leaves are counted, the empty and the repeated ones too.
const maxCopies = 8

// The networks where the part for IPv4 is repeated in full. No address in them
// has a country of its own.
var teredo, sixToFour = netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16")

// Read turns a MaxMind DB into a table of countries and says what it is. The
// country is taken from country.iso_code (MaxMind, DB-IP), country_code or
// country (IPinfo and others). A file that is damaged anywhere, or that names no
// country at all, is refused: a table that knows nothing would look like one
// that finds nothing.
func Read(data []byte) (*place.Countries, place.Source, error) {
	db, err := maxminddb.OpenBytes(data)
	if err != nil {
		return nil, place.Source{}, fmt.Errorf("open the MaxMind DB: %w", err)
	}
	var b place.Builder
	// Most networks share their record with thousands of others.
	records, found := map[uintptr]string{}, false
	leaves := maxCopies * (uint64(db.Metadata.NodeCount) + 1)
	for network := range db.Networks(maxminddb.IncludeNetworksWithoutData(), maxminddb.IncludeAliasedNetworks()) {
		if err := network.Err(); err != nil {
			return nil, place.Source{}, fmt.Errorf("read the MaxMind DB: %w", err)
		}
		if leaves == 0 {
			return nil, place.Source{}, errors.New("the MaxMind DB is damaged: its tree has more leaves than a tree can have")
		}
		leaves--
		prefix := network.Prefix()
		if !network.Found() || teredo.Overlaps(prefix) || sixToFour.Overlaps(prefix) {
			continue
		}
		iso, seen := records[network.Offset()]
		if !seen {
			if iso, err = country(network); err != nil {
				return nil, place.Source{}, fmt.Errorf("read a record of the MaxMind DB: %w", err)
			}
			records[network.Offset()] = iso
		}
		if iso == "" {
			continue
		}
		if err := b.Add(prefix.Addr(), last(prefix), iso); err != nil {
			return nil, place.Source{}, fmt.Errorf("take over the MaxMind DB: %w", err)
		}
		found = true
	}
	if !found {
		return nil, place.Source{}, errors.New("the MaxMind DB names no country: want country.iso_code or country_code in its records")
	}
	return b.Countries(), source(db.Metadata, data), nil
}

// country is what a record says in the first of the usual places, empty where it
// says none.
func country(network maxminddb.Result) (string, error) {
	var code string
	if err := network.DecodePath(&code, "country_code"); err != nil {
		return "", err
	}
	if code == "" {
		var value any
		if err := network.DecodePath(&value, "country"); err != nil {
			return "", err
		}
		switch value := value.(type) {
		case string:
			code = value
		case map[string]any:
			code, _ = value["iso_code"].(string)
		}
	}
	iso, _ := place.ISOCountry(code)
	return iso, nil
}

// last is the last address of a network.
func last(network netip.Prefix) netip.Addr {
	octets := network.Addr().AsSlice()
	for bit := network.Bits(); bit < len(octets)*8; bit++ {
		octets[bit/8] |= 1 << (7 - bit%8)
	}
	address, _ := netip.AddrFromSlice(octets)
	return address
}

// source says of the file what it says of itself.
func source(m maxminddb.Metadata, data []byte) place.Source {
	sum := sha256.Sum256(data)
	return place.Source{
		Table:   "countries of addresses",
		Title:   m.DatabaseType,
		Licence: "as agreed between its publisher and the operator",
		Date:    m.BuildTime().UTC().Format(time.DateOnly),
		SHA256:  hex.EncodeToString(sum[:]),
	}
}
