package console_test

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"testing"
)

// maxColours is the maximum number of colours of a picture in a document.
const maxColours = 96

// fewColours returns a picture with at most maxColours colours, chosen by median cut: it repeatedly splits the box of
// colours with the widest range, and each box becomes the mean of its pixels.
func fewColours(from image.Image) *image.Paletted {
	counts := map[color.RGBA]int{}
	bounds := from.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	first := make(colourBox, 0, len(counts))
	for c, n := range counts {
		first = append(first, counted{c, n})
	}
	slices.SortFunc(first, func(a, b counted) int { return cmp.Compare(number(a.RGBA), number(b.RGBA)) })
	boxes := []colourBox{first}
	for len(boxes) < maxColours {
		widest, channel, width := 0, 0, 0
		for i, b := range boxes {
			if c, w := b.widest(); w > width {
				widest, channel, width = i, c, w
			}
		}
		if width == 0 {
			break // every box has one colour
		}
		below, above := boxes[widest].split(channel)
		boxes[widest] = below
		boxes = append(boxes, above)
	}
	palette := make(color.Palette, len(boxes))
	for i, b := range boxes {
		palette[i] = b.mean()
	}
	to := image.NewPaletted(bounds, palette)
	draw.Draw(to, bounds, from, bounds.Min, draw.Src)
	return to
}

type counted struct {
	color.RGBA
	n int
}

func number(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }

func (c counted) channel(i int) uint8 { return [3]uint8{c.R, c.G, c.B}[i] }

// colourBox holds neighbouring colours.
type colourBox []counted

// widest returns the channel in which the colours differ most, and by how much.
func (b colourBox) widest() (channel, width int) {
	for i := range 3 {
		low, high := 255, 0
		for _, c := range b {
			low, high = min(low, int(c.channel(i))), max(high, int(c.channel(i)))
		}
		if high-low > width {
			channel, width = i, high-low
		}
	}
	return channel, width
}

// split cuts a box in two at the middle of the range of a channel. Each part has at least one colour.
func (b colourBox) split(channel int) (below, above colourBox) {
	slices.SortStableFunc(b, func(x, y counted) int { return cmp.Compare(x.channel(channel), y.channel(channel)) })
	middle := (int(b[0].channel(channel)) + int(b[len(b)-1].channel(channel))) / 2
	at, _ := slices.BinarySearchFunc(b, middle+1, func(c counted, want int) int {
		return cmp.Compare(int(c.channel(channel)), want)
	})
	return b[:at:at], b[at:]
}

// mean returns the mean of the pixels. If more than half of the pixels have the same colour, it returns that
// colour, so that backgrounds stay exact.
func (b colourBox) mean() color.RGBA {
	sums, total, most := [3]int{}, 0, b[0]
	for _, c := range b {
		for i := range 3 {
			sums[i] += int(c.channel(i)) * c.n
		}
		total += c.n
		if c.n > most.n {
			most = c
		}
	}
	if most.n*2 > total {
		return most.RGBA
	}
	return color.RGBA{uint8(sums[0] / total), uint8(sums[1] / total), uint8(sums[2] / total), 255}
}

// TestFewColours checks that a picture with few colours stays as it is, and that one with many colours keeps its
// background.
func TestFewColours(t *testing.T) {
	t.Parallel()
	plain := image.NewRGBA(image.Rect(0, 0, 10, 10))
	for x := range 10 {
		for y := range 10 {
			plain.Set(x, y, color.RGBA{uint8(20 * x), 7, 9, 255})
		}
	}
	same := fewColours(plain)
	for x := range 10 {
		if got := same.At(x, 3); got != plain.At(x, 3) {
			t.Errorf("%v became %v", plain.At(x, 3), got)
		}
	}
	rich := image.NewRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(rich, rich.Bounds(), image.NewUniform(color.RGBA{250, 250, 251, 255}), image.Point{}, draw.Src)
	for i := range 1024 {
		rich.Set(i%64, i/64, color.RGBA{uint8(i), uint8(i / 4), uint8(3 * i), 255})
	}
	few := fewColours(rich)
	if len(few.Palette) > maxColours || few.At(5, 60) != rich.At(5, 60) {
		t.Errorf("%d colours, and the ground is %v", len(few.Palette), few.At(5, 60))
	}
}
