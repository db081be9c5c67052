package certify

import (
	"errors"
	"math/big"
	"slices"
)

// The field and the curve of Ed25519 (RFC 8032, section 5.1).
var (
	prime  = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	curveD = func() *big.Int { // -121665/121666
		d := new(big.Int).ModInverse(big.NewInt(121666), prime)
		return d.Mod(d.Mul(d, big.NewInt(-121665)), prime)
	}()
	one = big.NewInt(1)
)

var (
	errNoPoint  = errors.New("it is no point of the curve in its one spelling")
	errLowOrder = errors.New("it is a point of low order, for which anybody can make signatures")
)

// checkPoint refuses an encoded point that is none, that is spelled in another way than RFC 8032 has it, or that is of low order: with such a key,
// signatures that nobody made verify. The standard library takes all of them.
func checkPoint(encoded []byte) error {
	if len(encoded) != 32 {
		return errNoPoint
	}
	bytes := slices.Clone(encoded)
	sign := bytes[31] >> 7
	bytes[31] &= 0x7f
	slices.Reverse(bytes)
	y := new(big.Int).SetBytes(bytes)
	if y.Cmp(prime) >= 0 {
		return errNoPoint
	}
	x2 := xSquared(y)
	if big.Jacobi(x2, prime) < 0 || x2.Sign() == 0 && sign == 1 {
		return errNoPoint
	}
	for range 3 { // eight times the point is the neutral one, (0, 1), for those of low order
		y = doubled(x2, y)
		x2 = xSquared(y)
	}
	if y.Cmp(one) == 0 {
		return errLowOrder
	}
	return nil
}

// xSquared is (y²-1) / (dy²+1).
func xSquared(y *big.Int) *big.Int {
	y2 := new(big.Int).Mul(y, y)
	below := new(big.Int).Mul(curveD, y2)
	below.ModInverse(below.Add(below, one), prime) // dy²+1 is never 0, since -1/d is no square
	x2 := y2.Sub(y2, one)
	return x2.Mod(x2.Mul(x2, below), prime)
}

// doubled is the y of twice the point: (y²+x²) / (1-dx²y²).
func doubled(x2, y *big.Int) *big.Int {
	y2 := new(big.Int).Mul(y, y)
	below := new(big.Int).Mul(curveD, x2)
	below.Mul(below, y2)
	below.Sub(one, below)
	below.ModInverse(below.Mod(below, prime), prime)
	sum := y2.Add(y2, x2)
	return sum.Mod(sum.Mul(sum, below), prime)
}
