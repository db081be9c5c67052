package subtype

import (
	"math/big"

	"anvil/compiler/canon"
)

// interval is the numbers between two bounds; nil is no bound.
type interval struct {
	low, high         *big.Rat
	lowOpen, highOpen bool
}

func (v *interval) above(num *big.Rat, open bool) {
	if v.low == nil || num.Cmp(v.low) > 0 || num.Cmp(v.low) == 0 && open {
		v.low, v.lowOpen = num, open
	}
}

func (v *interval) below(num *big.Rat, open bool) {
	if v.high == nil || num.Cmp(v.high) < 0 || num.Cmp(v.high) == 0 && open {
		v.high, v.highOpen = num, open
	}
}

func (v *interval) empty() bool {
	if v.low == nil || v.high == nil {
		return false
	}
	order := v.low.Cmp(v.high)
	return order > 0 || order == 0 && (v.lowOpen || v.highOpen)
}

func (v *interval) has(num *big.Rat) bool {
	if v.low != nil {
		if order := num.Cmp(v.low); order < 0 || order == 0 && v.lowOpen {
			return false
		}
	}
	if v.high != nil {
		if order := num.Cmp(v.high); order > 0 || order == 0 && v.highOpen {
			return false
		}
	}
	return true
}

// aNumber looks for a number.
func (b *branch) aNumber() answer {
	var within interval
	var step *big.Rat    // it is a multiple of step
	var never []*big.Rat // and of none of these
	for _, l := range b.assert {
		switch {
		case l.op == opMultiple && l.not:
			never = append(never, l.num)
		case l.op == opMultiple:
			step = leastCommonMultiple(step, l.num)
			if b.spend(1 + (step.Num().BitLen()+step.Denom().BitLen())/bitsPerStep) {
				return answer{doubt: StopSteps, waits: free}
			}
		case (l.op == opLower) != l.not:
			within.above(l.num, l.open != l.not)
		default:
			within.below(l.num, l.open != l.not)
		}
	}
	if within.empty() {
		return nothing
	}
	if step != nil {
		return b.onGrid(within, step, never)
	}
	return b.between(within, never)
}

// leastCommonMultiple of a and b is the least positive number that is a multiple of both; a may be nil.
func leastCommonMultiple(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	x, y := new(big.Int).Mul(a.Num(), b.Denom()), new(big.Int).Mul(b.Num(), a.Denom())
	gcd := new(big.Int).GCD(nil, nil, x, y)
	lcm := new(big.Int).Mul(x, new(big.Int).Quo(y, gcd))
	return new(big.Rat).SetFrac(lcm, new(big.Int).Mul(a.Denom(), b.Denom()))
}

// bitsPerStep are those of a number that is calculated with at the price of a step.
const bitsPerStep = 256

// maxTries bounds how many numbers are tried.
const maxTries = 2000

// onGrid looks among the multiples of step.
func (b *branch) onGrid(within interval, step *big.Rat, never []*big.Rat) answer {
	var periods []*big.Int // the k-th multiple is a multiple of never[i] when k is one of periods[i]
	for _, n := range never {
		if b.spend(1 + step.Num().BitLen()/bitsPerStep) {
			return answer{doubt: StopSteps, waits: free}
		}
		period := new(big.Rat).Quo(leastCommonMultiple(step, n), step).Num()
		if period.IsInt64() && period.Int64() == 1 {
			return nothing
		}
		periods = append(periods, period)
	}
	k, direction, last := gridStart(within, step)
	for range maxTries {
		if b.spend(len(periods) / perStep) {
			return answer{doubt: StopSteps, waits: free}
		}
		if last != nil && k.Cmp(last)*direction > 0 {
			return nothing
		}
		num := new(big.Rat).Mul(new(big.Rat).SetInt(k), step)
		if within.has(num) && !divides(periods, k) {
			if found, ok := b.numbered(num); ok {
				return found
			}
		}
		k = new(big.Int).Add(k, big.NewInt(int64(direction)))
	}
	return answer{doubt: "multipleOf", waits: free}
}

// gridStart is the first k to try, the direction to go on, and the last one, nil when there is none.
func gridStart(within interval, step *big.Rat) (k *big.Int, direction int, last *big.Int) {
	switch {
	case within.low != nil:
		k, direction = ceiling(new(big.Rat).Quo(within.low, step)), 1
		if within.high != nil {
			last = floor(new(big.Rat).Quo(within.high, step))
		}
	case within.high != nil:
		k, direction = floor(new(big.Rat).Quo(within.high, step)), -1
	default:
		k, direction = big.NewInt(0), 1
	}
	return k, direction, last
}

func divides(periods []*big.Int, k *big.Int) bool {
	for _, p := range periods {
		if new(big.Int).Mod(k, p).Sign() == 0 {
			return true
		}
	}
	return false
}

func floor(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
}

func ceiling(r *big.Rat) *big.Int {
	return new(big.Int).Neg(floor(new(big.Rat).Neg(r)))
}

// between looks among all numbers of an interval that is not empty.
func (b *branch) between(within interval, never []*big.Rat) answer {
	one := big.NewRat(1, 1)
	if within.low == nil && within.high == nil {
		within.low = new(big.Rat)
	}
	low, high := within.low, within.high
	if high == nil {
		high = new(big.Rat).Add(low, one)
	}
	if low == nil {
		low = new(big.Rat).Sub(high, one)
	}
	width := new(big.Rat).Sub(high, low)
	tries := []*big.Rat{low, high}
	for range 64 {
		width = new(big.Rat).Mul(width, big.NewRat(1, 2))
		tries = append(tries, new(big.Rat).Add(low, width))
	}
	for _, num := range tries {
		if !within.has(num) || isMultipleOfAny(num, never) {
			continue
		}
		if found, ok := b.numbered(num); ok {
			return found
		}
	}
	if low.Cmp(high) == 0 {
		return nothing
	}
	return answer{doubt: "multipleOf", waits: free}
}

func isMultipleOfAny(num *big.Rat, list []*big.Rat) bool {
	for _, n := range list {
		if isMultiple(num, n) {
			return true
		}
	}
	return false
}

// numbered returns a number, unless it is barred or no decimal.
func (b *branch) numbered(num *big.Rat) (answer, bool) {
	b.spend(1 + (num.Num().BitLen()+num.Denom().BitLen())/bitsPerStep)
	digits, exact := num.FloatPrec()
	plain := num.FloatString(digits)
	if !exact || len(plain) > canon.MaxDigits {
		return answer{doubt: "number", waits: free}, true
	}
	text := string(canon.MustCanonical([]byte(plain)))
	if b.isBarred(text) {
		return answer{}, false
	}
	return answer{value: []byte(text), waits: free}, true
}
