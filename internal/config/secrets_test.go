package config_test

import (
	"encoding/base64"
	"slices"
	"testing"

	"anvil/internal/config"
)

// A value that comes in by a variable is a secret wherever it is put, unless anybody could have chosen it.
func TestSecretsOfVariables(t *testing.T) {
	path := put(t, t.TempDir(), "anvil.yaml", `mcpServers:
  s:
    command: server
    args: [--seed, "${SEED}", "--at=${PLACE}", --greeting, "${GREETING}"]
    env: {NOTE: "x-${NOTE}", ZONE: "${WHERE}", LEVEL: "${LEVEL:-debug-mode-4711}", MY: "${env:MINE}", ROOT: "${DATA_ROOT}", WHO: "${ORG}", NOW: "${WHEN}"}
`)
	file := load(t, path, map[string]string{
		"SEED": "plum 4711 orchard tin", "PLACE": "q8Zr3TvB", "GREETING": "production", "NOTE": "blue+horse/77", "WHERE": "eu-west-1", "MINE": "short1",
		"DATA_ROOT": "secret place 4711", "ORG": "acme-4711-inc", "WHEN": "2026-01-31",
	})
	server, err := file.Server("s")
	if err != nil {
		t.Fatal(err)
	}
	secrets := server.Secrets()
	for _, v := range []string{"plum 4711 orchard tin", "plum+4711+orchard+tin", "q8Zr3TvB", "blue+horse/77", "blue%2Bhorse%2F77"} {
		if !slices.Contains(secrets, v) || !slices.Contains(server.Given(), v) {
			t.Errorf("%q is not among the secrets %q", v, secrets)
		}
	}
	for _, v := range []string{"production", "eu-west-1", "short1", "secret place 4711", "acme-4711-inc", "2026-01-31", "debug-mode-4711"} {
		if slices.Contains(secrets, v) {
			t.Errorf("%q is among the secrets", v)
		}
	}
}

func TestSecrets(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("admin:hunter2"))
	tests := []struct {
		name   string
		server config.Server
		secret []string // no file may hold them
		given  []string // nobody may repeat them, though they need not be secret
		free   []string // anybody may say them
	}{
		{"environment", config.Server{Command: "x", Env: map[string]string{"API_TOKEN": "hunter2", "MODE": "production", "DB": "postgres://admin:hunter3@h/db"}},
			[]string{"hunter2", "hunter3"}, []string{"production"}, nil},
		{"header", config.Server{URL: "http://h/", Headers: map[string]string{"Authorization": "Bearer hunter2", "Accept": "application/json"}},
			[]string{"hunter2", "Bearer hunter2"}, []string{"application/json"}, []string{"Bearer"}},
		{"url", config.Server{URL: "http://admin:hunter2@h/e/sk-hunter2hunter2/x?api_key=hunter%203&region=europe&hunter4#f"},
			[]string{"hunter2", basic, "hunter%203", "hunter 3", "hunter+3", "sk-hunter2hunter2"}, []string{"admin", "europe", "hunter4"}, []string{"h", "e", "x", "region", "api_key"}},
		{"arguments", config.Server{Command: "x", Args: []string{"--token=hunter2", "--key", "hunter3", "-u", "admin:hunter2", `{"token":"hunter4"}`, "--conn=Server=away;Pwd=hunter5", "-phunter6", "plain", "--url=http://a:hunter7@h/"}},
			[]string{"hunter2", "hunter3", basic, "hunter4", "hunter5", "hunter6", "hunter7"}, nil, []string{"plain", "away", "admin"}},
		{"line for a shell", config.Server{Command: "sh", Args: []string{"-c", "TOKEN=hunter2 exec server --key hunter3 --port 80"}},
			[]string{"hunter2", "hunter3"}, nil, []string{"server", "exec", "80"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			secret, given := tt.server.Secrets(), tt.server.Given()
			for _, v := range tt.secret {
				if !slices.Contains(secret, v) || !slices.Contains(given, v) {
					t.Errorf("%q is not among the secrets %q and what is given %q", v, secret, given)
				}
			}
			for _, v := range tt.given {
				if !slices.Contains(given, v) || slices.Contains(secret, v) {
					t.Errorf("%q is not among what is given %q, or is among the secrets %q", v, given, secret)
				}
			}
			for _, v := range tt.free {
				if slices.Contains(given, v) {
					t.Errorf("%q is among what is given", v)
				}
			}
		})
	}
}
