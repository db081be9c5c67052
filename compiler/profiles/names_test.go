package profiles

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestAlias(t *testing.T) {
	for _, tt := range []struct {
		name string
		max  int
		want string
	}{
		{"read_file", 64, "read_file"},
		{"read.file", 64, "read_file_dd32cdf5"},
		{"read/file", 64, "read_file_9cc468c6"},
		{"2fa-reset", 64, "t2fa-reset_78279f71"},
		{"查询", 64, "tool_bcd6771e"},
		{"a_very_long_name", 14, "a_ver_45d92b2f"},
		{"a_very_long_name", 9, "t45d92b2f"},
		{"a_very_long_name", 3, "t45"},
		{"a_very_long_name", 0, ""},
		{"tab", 64, "tab"},
		{"tab", 3, "t75"},
		{"read_file_dd32cdf5", 64, "read_file_dd32cdf5_70ff8f51"},
	} {
		if got := Alias(tt.name, tt.max); got != tt.want {
			t.Errorf("Alias(%q, %d) = %q, want %q", tt.name, tt.max, got, tt.want)
		}
	}
}

// Every alias is taken by every client: charset and length, behind the client's own prefix.
func TestAliasIsLegalEverywhere(t *testing.T) {
	names := []string{"", "a", "-", "__", "9", "read file", "a.b/c", "查询", "é", "\xff", "_x", strings.Repeat("long_", 60), "t1234abcd", "x_deadbeef"}
	for i := range 300 {
		names = append(names, fmt.Sprintf("%ssuffix%d", strings.Repeat("the_same_beginning_", i%9), i))
	}
	for _, server := range []string{"s", "files", "a-server-with-quite-a-long-name"} {
		for _, plugin := range []string{"", "kit"} {
			room := All().Room(plugin, server)
			table, err := NewAliases(names, room)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				alias, ok := table.Alias(name)
				if back, known := table.Name(alias); !ok || !known || back != name {
					t.Errorf("%q has alias %q, which is of %q", name, alias, back)
				}
				for _, p := range append(All().Specs, All().Clients...) {
					if l, ok := p.Limit("name-charset"); ok && !regexp.MustCompile(l.Pattern).MatchString(p.Expose(plugin, server, alias)) {
						t.Errorf("%s refuses the characters of %q", p.Axis(), alias)
					}
					if l, ok := p.Limit("name-length"); ok && (len(p.Counted(l, plugin, server, alias)) > l.Max || len(alias) < l.Min) {
						t.Errorf("%s refuses the length of %q", p.Axis(), alias)
					}
				}
			}
		}
	}
}

func TestRoom(t *testing.T) {
	// Claude Code advises 64: mcp__files__ takes 12, mcp__plugin_kit_files__ takes 23. Cursor counts 60 of server and tool.
	for _, tt := range []struct {
		plugin, server string
		want           int
	}{{"", "files", 52}, {"kit", "files", 41}, {"", strings.Repeat("s", 60), -3}} {
		if got := All().Room(tt.plugin, tt.server); got != tt.want {
			t.Errorf("room beside %q, %q: %d, want %d", tt.plugin, tt.server, got, tt.want)
		}
	}
}

func TestAliasesRefuseWhatCannotBeToldApart(t *testing.T) {
	if _, err := NewAliases([]string{"read_file", "write_file", "read_file"}, 64); err != nil {
		t.Error(err)
	}
	if _, err := NewAliases([]string{"read_file", "write_file"}, 1); err == nil || !strings.Contains(err.Error(), `"read_file" and "write_file"`) {
		t.Errorf("one character for two names: %v", err)
	}
}
