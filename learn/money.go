package learn

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Money is an amount in millionths of a currency's unit: exact, and never added to another currency's.
type Money struct {
	Micros   int64  `json:"micros"`
	Currency string `json:"currency"` // ISO 4217: "USD"; "XXX" where nobody says
}

// NoCurrency is ISO 4217's code for amounts whose currency is not known.
const NoCurrency = "XXX"

// maxMicros bounds one amount: a billion units.
const maxMicros = 1_000_000_000_000_000

// ParseMoney reads a decimal amount ("0.0021", "1e-3") in a currency; what is finer than a millionth is rounded half away from zero.
func ParseMoney(amount, currency string) (Money, error) {
	r, ok := new(big.Rat).SetString(amount)
	if !ok || len(amount) > 40 || strings.ContainsAny(amount, "/_xXpP") {
		return Money{}, fmt.Errorf("%q is no amount of money", label(amount))
	}
	r.Mul(r, big.NewRat(1_000_000, 1))
	half := big.NewRat(int64(r.Sign()), 2)
	q := new(big.Int).Quo(new(big.Int).Add(new(big.Int).Mul(r.Num(), big.NewInt(2)), new(big.Int).Mul(half.Num(), r.Denom())), new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	if !q.IsInt64() {
		return Money{}, fmt.Errorf("%q is more money than can be kept", label(amount))
	}
	return Money{q.Int64(), currency}.checked()
}

// MoneyOf is ParseMoney of a binary fraction, as telemetry has them; NaN and infinities are refused.
func MoneyOf(amount float64, currency string) (Money, error) {
	if math.IsNaN(amount) || math.IsInf(amount, 0) || math.Abs(amount) > maxMicros/1e6 {
		return Money{}, fmt.Errorf("%v is no amount of money", amount)
	}
	return Money{int64(math.Round(amount * 1e6)), currency}.checked()
}

func (m Money) checked() (Money, error) {
	m.Currency = strings.ToUpper(m.Currency)
	switch {
	case m.Currency == "":
		m.Currency = NoCurrency
	case len(m.Currency) != 3 || strings.Trim(m.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return Money{}, fmt.Errorf("%q is no currency of ISO 4217", label(m.Currency))
	}
	if m.Micros < 0 || m.Micros > maxMicros {
		return Money{}, fmt.Errorf("an amount is from 0 to a billion units, and not %s", m)
	}
	return m, nil
}

// String is the exact decimal amount and the currency: "0.0021 USD".
func (m Money) String() string { return m.Amount() + " " + m.Currency }

// Amount is the exact decimal amount: "0.0021".
func (m Money) Amount() string {
	sign, v := "", m.Micros
	if v < 0 {
		sign, v = "-", -v
	}
	text := fmt.Sprintf("%d.%06d", v/1_000_000, v%1_000_000)
	return sign + strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
