//go:build !race

package e2e

// raceDetector says whether these tests run with the race detector.
const raceDetector = false
