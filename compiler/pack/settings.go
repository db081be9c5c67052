package pack

import (
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
)

// FacadeSettings is facade.yaml: how the facade reaches the server it fronts, and what it does.
type FacadeSettings struct {
	SchemaVersion int      `json:"schemaVersion"`
	Upstream      Upstream `json:"upstream"`
	Expose        string   `json:"expose"` // "approved": approved operations only
	Serving       `json:",inline"`
}

// Upstream says how to reach the server. No value that names or looks like a secret stands in it: in Env and Headers such a value is a
// reference, ${NAME}, to be set where the facade runs.
type Upstream struct {
	Server    string            `json:"server,omitzero"` // the configured name, when it had one
	Transport string            `json:"transport"`       // stdio, http or sse
	Command   string            `json:"command,omitzero"`
	Args      []string          `json:"args,omitempty"`
	Dir       string            `json:"dir,omitzero"`
	Env       map[string]string `json:"env,omitempty"`
	URL       string            `json:"url,omitzero"`
	Headers   map[string]string `json:"headers,omitempty"`
}

// NewFacadeSettings returns the settings for an upstream: approved operations only, served as s says, the defaults filled in.
func NewFacadeSettings(u Upstream, s Serving) FacadeSettings {
	return FacadeSettings{SchemaVersion: 1, Upstream: u, Expose: "approved", Serving: s.WithDefaults()}
}

// Encode returns the settings as YAML.
func (s FacadeSettings) Encode() ([]byte, error) {
	data, err := canon.EncodeCompact(s)
	if err != nil {
		return nil, err
	}
	return yaml.FromJSON(data)
}

// DecodeFacadeSettings reads facade.yaml; unknown members and values are errors.
func DecodeFacadeSettings(data []byte) (FacadeSettings, error) {
	text, err := yaml.JSON(data)
	if err != nil {
		return FacadeSettings{}, fmt.Errorf("read %s: %w", FacadeFile, err)
	}
	var s FacadeSettings
	if err := canon.Decode(text, &s); err != nil {
		return FacadeSettings{}, fmt.Errorf("read %s: %w", FacadeFile, err)
	}
	switch {
	case s.SchemaVersion != 1:
		return FacadeSettings{}, fmt.Errorf("read %s: schemaVersion %d is not known; use a newer anvil", FacadeFile, s.SchemaVersion)
	case s.Expose != "approved":
		return FacadeSettings{}, fmt.Errorf("read %s: expose %q is not known; it is approved", FacadeFile, s.Expose)
	case s.Serving != s.WithDefaults():
		return FacadeSettings{}, fmt.Errorf("read %s: onDrift is not whole; it says safe, risky, breaking and security", FacadeFile)
	case s.Check() != nil:
		return FacadeSettings{}, fmt.Errorf("read %s: %w", FacadeFile, s.Check())
	case !slices.Contains([]string{"stdio", "http", "sse"}, s.Upstream.Transport):
		return FacadeSettings{}, fmt.Errorf("read %s: transport %q is not known; it is stdio, http or sse", FacadeFile, s.Upstream.Transport)
	}
	return s, nil
}
