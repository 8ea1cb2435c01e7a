// Package mmdb reads the countries of IP addresses from a file in the MaxMind DB
// format, so that an operator can replace the table in the binary with a newer or
// better table. The file is read once and converted to a table of package place.
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

// maxCopies limits the number of leaves that are visited, as a multiple of the
// leaves of a tree without shared branches. A tree has one leaf more than it has
// nodes, but several IPv6 networks that embed IPv4 may share the IPv4 subtree. In
// a damaged file, branches could form cycles, so all leaves are counted, including
// empty and repeated ones.
const maxCopies = 8

// teredo and sixToFour are the networks in which the whole IPv4 subtree is
// repeated. Their addresses have no country of their own.
var teredo, sixToFour = netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16")

// Read converts a MaxMind DB to a table of countries and returns the table with
// its source. The country is taken from country.iso_code (MaxMind, DB-IP),
// country_code or country (IPinfo and others). Read refuses a file that is
// damaged. It also refuses a file that names no country, because lookups in an
// empty table would find nothing and nobody would notice.
func Read(data []byte) (*place.Countries, place.Source, error) {
	db, err := maxminddb.OpenBytes(data)
	if err != nil {
		return nil, place.Source{}, fmt.Errorf("open the MaxMind DB: %w", err)
	}
	var b place.Builder
	// Cache the country of each record, because thousands of networks share one
	// record.
	records, found := map[uintptr]string{}, false
	leaves := maxCopies * (uint64(db.Metadata.NodeCount) + 1)
	for network := range db.Networks(maxminddb.IncludeNetworksWithoutData(), maxminddb.IncludeAliasedNetworks()) {
		if err := network.Err(); err != nil {
			return nil, place.Source{}, fmt.Errorf("read the MaxMind DB: %w", err)
		}
		if leaves == 0 {
			return nil, place.Source{},
				errors.New("the MaxMind DB is damaged: its search tree has more leaves than its node count allows")
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
			return nil, place.Source{}, fmt.Errorf("import the MaxMind DB: %w", err)
		}
		found = true
	}
	if !found {
		return nil, place.Source{},
			errors.New("the MaxMind DB names no country: want country.iso_code or country_code in its records")
	}
	return b.Countries(), source(db.Metadata, data), nil
}

// country returns the country code of a record, or "" if it has none.
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

// last returns the last address of a network.
func last(network netip.Prefix) netip.Addr {
	octets := network.Addr().AsSlice()
	for bit := network.Bits(); bit < len(octets)*8; bit++ {
		octets[bit/8] |= 1 << (7 - bit%8)
	}
	address, _ := netip.AddrFromSlice(octets)
	return address
}

// source returns a description of the file, from its metadata and its hash.
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
