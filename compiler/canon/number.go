package canon

import "bytes"

// Stated bounds of a number. Beyond them its spelling is kept as it came and [Flaws] reports it.
const (
	MaxDigits   = 1_000  // significant decimal digits
	MaxExponent = 10_000 // magnitude of the decimal point's position
)

// decimal is the exact value 0.DIGITS x 10^point; digits has no leading or trailing zero and is empty for zero.
type decimal struct {
	negative bool
	digits   []byte
	point    int
}

// parseDecimal reads a checked number literal. ok is false when it lies beyond the stated bounds.
func parseDecimal(lit []byte) (d decimal, ok bool) {
	if lit[0] == '-' {
		d.negative = true
		lit = lit[1:]
	}
	mantissa, exponent := lit, 0
	if e := bytes.IndexAny(lit, "eE"); e >= 0 {
		mantissa = lit[:e]
		if exponent, ok = parseExponent(lit[e+1:]); !ok {
			exponent = MaxExponent * 2
			if lit[e+1] == '-' {
				exponent = -exponent
			}
		}
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	digits := whole
	if len(fraction) > 0 {
		digits = append(append(make([]byte, 0, len(mantissa)), whole...), fraction...)
	}
	trimmed := bytes.TrimLeft(digits, "0")
	d.point = len(whole) - (len(digits) - len(trimmed)) + exponent
	d.digits = bytes.TrimRight(trimmed, "0")
	if len(d.digits) == 0 {
		return decimal{}, true
	}
	return d, len(d.digits) <= MaxDigits && d.point <= MaxExponent && d.point >= -MaxExponent
}

// parseExponent reads a signed exponent; ok is false when it is far beyond the bounds.
func parseExponent(lit []byte) (value int, ok bool) {
	negative := lit[0] == '-'
	for _, c := range bytes.TrimLeft(lit, "+-") {
		if value = value*10 + int(c-'0'); value > 100*MaxExponent {
			return 0, false
		}
	}
	if negative {
		value = -value
	}
	return value, true
}

// appendCanonicalNumber appends the canonical spelling of the checked number literal lit.
func appendCanonicalNumber(dst, lit []byte) []byte {
	if isShortInteger(lit) {
		return append(dst, lit...)
	}
	d, ok := parseDecimal(lit)
	if !ok {
		return append(dst, lit...)
	}
	return d.append(dst)
}

// isShortInteger reports a literal that is already canonical: at most 21 digits, no fraction, no exponent, not -0.
func isShortInteger(lit []byte) bool {
	digits := lit
	if lit[0] == '-' {
		digits = lit[1:]
	}
	if len(digits) > 21 || (len(lit) == 2 && lit[0] == '-' && lit[1] == '0') {
		return false
	}
	return skipDigits(digits, 0) == len(digits)
}

// append writes d in the layout of ECMAScript's Number::toString, which RFC 8785 prescribes.
func (d decimal) append(dst []byte) []byte {
	if len(d.digits) == 0 {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	k, n := len(d.digits), d.point
	switch {
	case k <= n && n <= 21:
		return appendZeros(append(dst, d.digits...), n-k)
	case 0 < n && n <= 21:
		return append(append(append(dst, d.digits[:n]...), '.'), d.digits[n:]...)
	case -6 < n && n <= 0:
		return append(appendZeros(append(dst, '0', '.'), -n), d.digits...)
	}
	dst = append(dst, d.digits[0])
	if k > 1 {
		dst = append(append(dst, '.'), d.digits[1:]...)
	}
	return appendExponent(append(dst, 'e'), n-1)
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

func appendExponent(dst []byte, e int) []byte {
	sign := byte('+')
	if e < 0 {
		sign, e = '-', -e
	}
	dst = append(dst, sign)
	start := len(dst)
	for ; e > 0 || len(dst) == start; e /= 10 {
		dst = append(dst, byte('0'+e%10))
	}
	for i, j := start, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}
