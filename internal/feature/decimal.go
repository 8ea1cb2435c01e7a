package feature

import (
	"encoding/binary"
	"math/bits"
)

// longestValue is the buffer size for the text of a value: a sign, thirteen
// digits, a point and four digits. It includes spare bytes, because digits are
// written in whole words.
const longestValue = 32

// putDecimal writes a number of ten-thousandths in the format of
// wire.AppendDecimal, and returns the length of the text. Hashing writes
// thousands of numbers of unpredictable length, so putDecimal processes all
// digits together with few branches.
func putDecimal(dst *[longestValue]byte, value int64) int {
	n := 0
	size := uint64(value)
	if value < 0 {
		dst[0] = '-'
		n, size = 1, -size
	}
	whole, rest := size/one, uint32(size%one)
	if high := whole / 1e8; high > 0 {
		n += putDigits(dst[n:], eightDigits(high))
		binary.LittleEndian.PutUint64(dst[n:], eightDigits(whole%1e8)|zeros)
		n += 8
	} else {
		n += putDigits(dst[n:], eightDigits(whole))
	}
	digits := fourDigits(rest)
	dst[n] = '.'
	binary.LittleEndian.PutUint32(dst[n+1:], digits|zeros&(1<<32-1))
	after := places - bits.LeadingZeros32(digits)/8 // without trailing zeros
	return n + after + (after+places-1)/places      // without the point if no decimals are left
}

// zeros turns eight values from 0 to 9 into ASCII digits.
const zeros = 0x3030303030303030

// putDigits writes eight digits without leading zeros, and returns the number
// written.
func putDigits(dst []byte, digits uint64) int {
	skip := bits.TrailingZeros64(digits|1<<56) / 8
	binary.LittleEndian.PutUint64(dst, (digits|zeros)>>(8*skip))
	return 8 - skip
}

// eightDigits splits a number below 10^8 into its digits, with the first digit in
// the lowest byte. It splits the number into halves, then into pairs, then into
// digits.
func eightDigits(n uint64) uint64 {
	x := n/10_000 | n%10_000<<32
	q := x * 10_486 >> 20 & 0x0000007f_0000007f // each half ÷ 100
	x = q | (x-100*q)<<16
	q = x * 103 >> 10 & 0x000f000f_000f000f // each pair ÷ 10
	return q | (x-10*q)<<8
}

// fourDigits splits a number below 10^4 like eightDigits.
func fourDigits(x uint32) uint32 {
	q := x * 10_486 >> 20
	x = q | (x-100*q)<<16
	q = x * 103 >> 10 & 0x000f_000f
	return q | (x-10*q)<<8
}
