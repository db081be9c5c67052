package pack

import (
	"errors"
	"strconv"
)

// Switch is what may be on or off, or not be said. In text it is true, false or absent.
type Switch string

// The switches.
const (
	Unsaid Switch = ""
	On     Switch = "on"
	Off    Switch = "off"
)

// MarshalJSON writes true or false.
func (s Switch) MarshalJSON() ([]byte, error) { return strconv.AppendBool(nil, s == On), nil }

// UnmarshalJSON reads true or false alone.
func (s *Switch) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "true":
		*s = On
	case "false":
		*s = Off
	default:
		return errors.New("it is true or false")
	}
	return nil
}

// or is s, or what it was before where it is not said.
func (s Switch) or(before Switch) Switch {
	if s == Unsaid {
		return before
	}
	return s
}

func (s Serving) keepingSwitches(before Serving) Serving {
	s.Metadata, s.Reports = s.Metadata.or(before.Metadata), s.Reports.or(before.Reports)
	return s
}

// Publishes reports whether tools-metadata is published as resources.
func (s Serving) Publishes() bool { return s.Metadata != Off }

// TakesReports reports whether clients may report what they observed.
func (s Serving) TakesReports() bool { return s.Reports == On }
