package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/profiles"
)

// What a client's prefix joins is on the client's axis only where the client is known to mind; of all others there is one finding, which is a warning
// once one of them has to take the servers.
func TestJoinedByPrefix(t *testing.T) {
	servers := []Surface{{Server: "a", Snapshot: parsed(t, `{"tools":[{"name":"b__c"},{"name":"b-c"}]}`)}, {Server: "a__b", Snapshot: parsed(t, `{"tools":[{"name":"c"}]}`)},
		{Server: "a-b", Snapshot: parsed(t, `{"tools":[{"name":"c"}]}`)}}
	for _, tt := range []struct {
		client string
		want   []string
	}{
		{"", []string{"info a-b copilot-cli", "info a__b claude-code"}},
		{"claude-code", []string{"info a-b copilot-cli", "warning a__b claude-code"}},
		{"copilot-cli", []string{"warning a-b copilot-cli", "info a__b claude-code"}},
		{"openai-chat", []string{"info a-b copilot-cli", "info a__b claude-code"}},
	} {
		var got []string
		for _, f := range checkTogether(servers, Options{Clients: []string{tt.client}}) {
			if f.Rule != "name-across-servers" || !strings.Contains(f.Message, " are both shown as ") {
				continue
			}
			if f.Axis != "" {
				p, err := profiles.All().Client(strings.TrimPrefix(f.Axis, profiles.ClientAxis))
				if err != nil {
					t.Fatal(err)
				}
				if l, ok := p.Limit(f.Rule); !ok || string(l.Radius) != f.Radius {
					t.Errorf("%s has a finding that none of its limits speaks of", f.Axis)
				}
				continue
			}
			_, clients, _ := strings.Cut(f.Message, `" by `)
			got = append(got, fmt.Sprintf("%s %s %s", f.Class, f.Server, clients))
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q named (-want +got)\n%s", tt.client, diff)
		}
	}
}
