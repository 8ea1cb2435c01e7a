package console

import "verdict/internal/chart"

// postalRegion is a postal region of India with its position on the tile map. It is identified by
// the first two digits of its pincodes.
type postalRegion struct {
	digits, name string
	column, row  int
}

// postalRegions lists all regions in use, ordered by their digits. Their positions keep
// neighbouring regions together as far as a grid allows.
var postalRegions = []postalRegion{
	{"11", "Delhi", 3, 3},
	{"12", "Haryana, south", 2, 3},
	{"13", "Haryana, north", 4, 2},
	{"14", "Punjab, centre", 3, 1},
	{"15", "Punjab, south-west", 2, 2},
	{"16", "Chandigarh", 3, 2},
	{"17", "Himachal Pradesh", 4, 1},
	{"18", "Jammu", 3, 0},
	{"19", "Kashmir and Ladakh", 4, 0},
	{"20", "Uttar Pradesh: Kanpur, Aligarh", 5, 3},
	{"21", "Uttar Pradesh: Prayagraj, Banda", 5, 5},
	{"22", "Uttar Pradesh: Lucknow, Varanasi", 5, 4},
	{"23", "Uttar Pradesh: Mirzapur, Ghazipur", 6, 5},
	{"24", "Uttarakhand and Bareilly", 5, 2},
	{"25", "Uttar Pradesh: Meerut", 4, 3},
	{"26", "Kumaon and Sitapur", 6, 3},
	{"27", "Uttar Pradesh: Gorakhpur", 6, 4},
	{"28", "Uttar Pradesh: Agra, Jhansi", 4, 4},
	{"30", "Rajasthan: Jaipur", 2, 4},
	{"31", "Rajasthan: Udaipur", 2, 5},
	{"32", "Rajasthan: Kota", 3, 4},
	{"33", "Rajasthan: Bikaner", 1, 3},
	{"34", "Rajasthan: Jodhpur", 1, 4},
	{"36", "Gujarat: Saurashtra", 0, 6},
	{"37", "Gujarat: Kutch", 0, 5},
	{"38", "Gujarat: Ahmedabad", 1, 5},
	{"39", "Gujarat: Vadodara, Surat", 1, 6},
	{"40", "Mumbai, Konkan and Goa", 1, 7},
	{"41", "Maharashtra: Pune", 2, 7},
	{"42", "Maharashtra: Nashik", 2, 6},
	{"43", "Maharashtra: Aurangabad", 3, 7},
	{"44", "Maharashtra: Nagpur", 4, 7},
	{"45", "Madhya Pradesh: Indore", 3, 6},
	{"46", "Madhya Pradesh: Bhopal", 3, 5},
	{"47", "Madhya Pradesh: Gwalior", 4, 5},
	{"48", "Madhya Pradesh: Jabalpur", 4, 6},
	{"49", "Chhattisgarh", 5, 6},
	{"50", "Telangana", 4, 8},
	{"51", "Andhra Pradesh: Rayalaseema", 4, 9},
	{"52", "Andhra Pradesh: Vijayawada, Nellore", 5, 9},
	{"53", "Andhra Pradesh: Visakhapatnam", 5, 8},
	{"56", "Karnataka: Bengaluru", 3, 9},
	{"57", "Karnataka: Mysuru, Mangaluru", 2, 9},
	{"58", "Karnataka: Hubballi, Kalaburagi", 3, 8},
	{"59", "Karnataka: Belagavi", 2, 8},
	{"60", "Chennai and Puducherry", 4, 10},
	{"61", "Tamil Nadu: Thanjavur", 4, 11},
	{"62", "Tamil Nadu: Madurai, Tirunelveli", 3, 12},
	{"63", "Tamil Nadu: Vellore, Salem", 3, 10},
	{"64", "Tamil Nadu: Coimbatore", 3, 11},
	{"67", "Kerala: Kozhikode", 2, 10},
	{"68", "Kerala: Kochi and Lakshadweep", 2, 11},
	{"69", "Kerala: Thiruvananthapuram", 2, 12},
	{"70", "Kolkata", 9, 6},
	{"71", "West Bengal: Howrah", 8, 6},
	{"72", "West Bengal: Midnapore", 7, 7},
	{"73", "North Bengal and Sikkim", 9, 4},
	{"74", "West Bengal: Nadia; Andaman", 9, 5},
	{"75", "Odisha: Bhubaneswar", 6, 7},
	{"76", "Odisha: Berhampur, Sambalpur", 5, 7},
	{"77", "Odisha: Rourkela", 6, 6},
	{"78", "Assam", 10, 4},
	{"79", "North-eastern states without Assam", 11, 4},
	{"80", "Bihar: Patna", 7, 4},
	{"81", "Bhagalpur and Deoghar", 8, 5},
	{"82", "Gaya and Dhanbad", 7, 5},
	{"83", "Jharkhand: Ranchi", 7, 6},
	{"84", "Bihar: Muzaffarpur", 7, 3},
	{"85", "Bihar: Purnia", 8, 4},
}

// These constants place the tiles for entries that belong to no region: the army postal
// service, and digits that no region uses.
const (
	armyColumn, armyRow   = 9, 10
	otherColumn, otherRow = 10, 10
	armyDigit             = '9'
)

// regionCount is the number of entries of each class in a region.
type regionCount struct {
	digits string
	counts []float64
}

// regionMap returns the map of the entries by region.
func regionMap(counts []regionCount) chart.TileMap {
	picture := chart.TileMap{
		Head: chart.Head{
			ID: "regions", Title: "Pincode risk by region",
			Description: "Each tile is a postal region, given by the first two digits of a pincode. Its colour and " +
				"letter show the most severe class of its entries. The number counts the entries.",
		},
		Of: "Region",
		Parts: []chart.Part{
			{Name: "Low", Tone: chart.LowRisk},
			{Name: "Medium", Tone: chart.MediumRisk},
			{Name: "High", Tone: chart.HighRisk},
			{Name: "Blocked", Tone: chart.Blocked},
		},
	}
	byDigits := map[string][]float64{}
	for _, c := range counts {
		byDigits[c.digits] = c.counts
	}
	for _, r := range postalRegions {
		picture.Tiles = append(picture.Tiles, chart.Tile{
			Column: r.column,
			Row:    r.row,
			Label:  r.digits,
			Name:   r.name,
			Values: byDigits[r.digits],
		})
		delete(byDigits, r.digits)
	}
	army := chart.Tile{
		Column: armyColumn,
		Row:    armyRow,
		Label:  "9",
		Name:   "Army post",
		Values: make([]float64, len(picture.Parts)),
	}
	other := chart.Tile{
		Column: otherColumn,
		Row:    otherRow,
		Label:  "?",
		Name:   "In no region",
		Values: make([]float64, len(picture.Parts)),
	}
	for _, c := range counts {
		if _, left := byDigits[c.digits]; !left {
			continue
		}
		into := &other
		if c.digits[0] == armyDigit {
			into = &army
		}
		for i, n := range c.counts {
			into.Values[i] += n
		}
	}
	picture.Tiles = append(picture.Tiles, army)
	if sum(other.Values) > 0 {
		picture.Tiles = append(picture.Tiles, other)
	}
	return picture
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}
