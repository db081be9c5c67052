//go:build race

package corpus

// raceDetector says whether these tests run with the race detector.
const raceDetector = true
