package stat

import (
	"math"
	"strconv"
)

// Hundredths is a share as it is told beside the word or sign for it: "30", "4.3".
func Hundredths(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/10, 'f', -1, 64)
}

// Percent is a share as it is told: "30 %", "4.3 %".
func Percent(share float64) string { return Hundredths(share) + " %" }
