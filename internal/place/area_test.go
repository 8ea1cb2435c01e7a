package place

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	mumbai, fort := Point{19_076_000, 72_877_700}, Point{18_938_800, 72_835_400}
	delhi, noida := Point{28_613_900, 77_209_000}, Point{28_535_500, 77_391_000}
	for _, c := range []struct {
		name         string
		at           Point
		code         string
		radiusMetres int32
		match, known bool
	}{
		{"Mumbai, the middle of the city", mumbai, "400001", 0, true, true},
		{"Mumbai, the Fort", fort, "400001", 0, true, true},
		{"Delhi", delhi, "400001", 0, false, true},
		{"Noida", noida, "400001", 0, false, true},
		{"Delhi in its own", delhi, "110001", 0, true, true},
		{"Mumbai in Delhi's", mumbai, "110001", 0, false, true},
		{"Bengaluru", Point{12_971_600, 77_594_600}, "560001", 0, true, true},
		{"Chennai", Point{13_082_700, 80_270_700}, "600001", 0, true, true},
		{"Kolkata", Point{22_572_600, 88_363_900}, "700001", 0, true, true},
		{"Hyderabad", Point{17_385_000, 78_486_700}, "500001", 0, true, true},
		{"Port Blair", Point{11_623_400, 92_726_500}, "744101", 0, true, true},
		{"Leh", Point{34_152_600, 77_577_100}, "194101", 0, true, true},
		{"a radius of the tenant's, too small", mumbai, "400001", 1000, false, true},
		{"a radius of the tenant's, large enough", delhi, "400001", 1_200_000, true, true},
		{"a radius below nothing is none", mumbai, "400001", -1, true, true},
		{"not the Earth's other side", Point{-19_076_000, -107_122_300}, "400001", 0, false, true},
		{"a code of nobody", mumbai, "999999", 0, false, false},
		{"four digits", mumbai, "4000", 0, false, false},
		{"seven digits", mumbai, "4000011", 0, false, false},
		{"a leading zero", mumbai, "040001", 0, false, false},
		{"a letter", mumbai, "40000l", 0, false, false},
		{"a sign", mumbai, "+40001", 0, false, false},
		{"a blank", mumbai, "400 01", 0, false, false},
		{"other digits", mumbai, "४००", 0, false, false},
		{"nothing", mumbai, "", 0, false, false},
	} {
		match, known := Matches(c.at, c.code, c.radiusMetres)
		if match != c.match || known != c.known {
			t.Errorf("%s: match %v, known %v; want %v, %v", c.name, match, known, c.match, c.known)
		}
	}
}

// office is a post office of the sample from the directory.
type office struct {
	code string
	at   Point
}

func readSample(t *testing.T) []office {
	t.Helper()
	sample, err := os.ReadFile("testdata/offices.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var offices []office
	for row := range strings.Lines(string(sample)) {
		columns := strings.Split(row, "\t")
		lat, errLat := strconv.ParseInt(columns[1], 10, 64)
		lng, errLng := strconv.ParseInt(columns[2], 10, 64)
		at, ok := NewPoint(lat, lng)
		if errLat != nil || errLng != nil || !ok {
			t.Fatalf("a damaged row: %q", row)
		}
		offices = append(offices, office{columns[0], at})
	}
	return offices
}

// TestOfficesMatchTheirPincode checks that at least 950 of 1,000 offices of the
// directory match their own pincode. The sample includes offices whose position
// is in India but wrong.
func TestOfficesMatchTheirPincode(t *testing.T) {
	t.Parallel()
	offices, matched := readSample(t), 0
	for _, o := range offices {
		if match, _ := Matches(o.at, o.code, 0); match {
			matched++
		}
	}
	t.Logf("%d of %d offices match their own pincode", matched, len(offices))
	if len(offices) != 1000 || matched < 950 {
		t.Errorf("%d of %d offices match their own pincode, want at least 950 of 1000", matched, len(offices))
	}
}

// TestDistanceHash computes half a million distances and compares their hash with
// a constant, because every processor must compute the same distances.
func TestDistanceHash(t *testing.T) {
	t.Parallel()
	offices := readSample(t)
	hash := sha256.New()
	var b []byte
	for i, from := range offices {
		b = b[:0]
		for _, to := range offices[i:] {
			b = binary.BigEndian.AppendUint32(b, uint32(DistanceMetres(from.at, to.at)))
		}
		hash.Write(b)
	}
	const want = "4ec861a7857398b70ca5e95c2c0435f86ed43a8574ad8653b7e6fddd0913aa1e"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("the distances have the hash %s, want %s", got, want)
	}
}

func TestEveryPincodeIsWellFormed(t *testing.T) {
	t.Parallel()
	table := pincodes()
	if len(table.list) < 19_000 {
		t.Errorf("only %d pincodes", len(table.list))
	}
	for _, a := range table.list {
		inIndia := a.Centre.Lat >= 6_500_000 && a.Centre.Lat <= 37_200_000 && a.Centre.Lng >= 68_000_000 &&
			a.Centre.Lng <= 97_500_000
		if !inIndia || a.RadiusMetres < 20_000 || a.RadiusMetres > 150_000 {
			t.Errorf("%d lies at %v with a radius of %d m", a.Code, a.Centre, a.RadiusMetres)
		}
		found, ok := table.Lookup(strconv.Itoa(int(a.Code)))
		if !ok || found != a {
			t.Errorf("%d is found as %v", a.Code, found)
		}
	}
}

// TestAFewMetropolitanPincodesAreFarApart checks every pair of large cities:
// the centre of one city is never within the circle of another.
func TestAFewMetropolitanPincodesAreFarApart(t *testing.T) {
	t.Parallel()
	cities := []string{"110001", "400001", "560001", "600001", "700001", "500001", "380001", "411001", "302001",
		"226001"}
	for _, a := range cities {
		centre, _, ok := Pincode(a)
		if !ok {
			t.Fatalf("%s is not known", a)
		}
		for _, b := range cities {
			if match, _ := Matches(centre, b, 0); match != (a == b) {
				t.Errorf("the middle of %s matches %s: %v", a, b, match)
			}
		}
	}
}

func TestAreasRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		codes := rapid.SliceOfNDistinct(rapid.Uint32Range(minCode, maxCode), 0, 20, rapid.ID).Draw(t, "codes")
		want := make([]Area, 0, len(codes))
		for i, code := range sorted(codes) {
			want = append(want, Area{
				Code: code,
				Centre: Point{
					Lat: areaStepMicros * rapid.Int32Range(-900_000, 900_000).Draw(t, fmt.Sprint("lat ", i)),
					Lng: areaStepMicros * rapid.Int32Range(-1_800_000, 1_800_000).Draw(t, fmt.Sprint("lng ", i)),
				},
				RadiusMetres: areaStepMetres * rapid.Int32Range(1, 500).Draw(t, fmt.Sprint("radius ", i)),
			})
		}
		got, err := ReadAreas(AppendAreas(nil, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.list); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzReadAreas(f *testing.F) {
	f.Add([]byte{})
	f.Add(AppendAreas(nil,
		[]Area{{400001, Point{18_936_100, 72_835_400}, 20_000}, {400002, Point{18_940_000, 72_830_000}, 21_000}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := ReadAreas(data)
		if err != nil {
			return
		}
		again, err := ReadAreas(AppendAreas(nil, table.list))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table.list, again.list); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzPincode(f *testing.F) {
	for _, code := range []string{"400001", "", "000000", "4000011", "४००००१", "\x00\xff"} {
		f.Add(code, int32(19_076_000), int32(72_877_700), int32(0))
	}
	f.Fuzz(func(t *testing.T, code string, lat, lng, radius int32) {
		at, ok := NewPoint(int64(lat), int64(lng))
		if !ok {
			return
		}
		match, known := Matches(at, code, radius)
		if match && !known {
			t.Fatal("an unknown pincode matches")
		}
		if known && len(code) != 6 {
			t.Fatal("a pincode has six digits")
		}
	})
}
