package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"verdict/internal/place"
)

// addAddresses adds the ranges of a file with lines "first,last,country", as in
// Debian's tor-geoipdb. IPv4 addresses are written as numbers, and IPv6 addresses
// as text.
func addAddresses(b *place.Builder, file string) (err error) {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = closing(f, err) }()
	if err := addLines(b, f); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

func addLines(b *place.Builder, r io.Reader) error {
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		if err := addLine(b, line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return lines.Err()
}

func addLine(b *place.Builder, line string) error {
	columns := strings.Split(line, ",")
	if len(columns) != 3 {
		return errors.New("want three columns")
	}
	iso, known := place.ISOCountry(columns[2])
	if !known {
		return nil
	}
	first, err := parseAddress(columns[0])
	if err != nil {
		return err
	}
	last, err := parseAddress(columns[1])
	if err != nil {
		return err
	}
	return b.Add(first, last, iso)
}

func parseAddress(text string) (netip.Addr, error) {
	if strings.Contains(text, ":") {
		return netip.ParseAddr(text)
	}
	number, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return netip.Addr{}, err
	}
	var octets [4]byte
	binary.BigEndian.PutUint32(octets[:], uint32(number))
	return netip.AddrFrom4(octets), nil
}
