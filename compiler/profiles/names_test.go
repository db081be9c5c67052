package profiles

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

func TestAliases(t *testing.T) {
	for _, tt := range []struct {
		name string
		max  int
		want string
	}{
		{"read_file", 64, "read_file"},
		{"read.file", 64, "read_file_########"},
		{"read/file", 64, "read_file_########"},
		{"2fa-reset", 64, "t2fa-reset_########"},
		{"查询", 64, "tool_########"},
		{"a_very_long_name", 14, "a_ver_########"},
		{"a_very_long_name", 9, "t########"},
		{"a_very_long_name", 3, "t##"},
		{"a_very_long_name", 0, ""},
		{"tab", 64, "tab"},
		{"tab", 3, "t##"},
		{"read_file_dd32cdf5", 64, "read_file_dd32cdf5_########"},
		{"myTool", 64, "myTool_########"}, // it meets another
	} {
		table, err := NewAliases("files", []string{tt.name}, tt.max, func(name string) bool { return name == "myTool" })
		if err != nil {
			t.Fatal(err)
		}
		got, _ := table.Alias(tt.name)
		hash := strings.TrimPrefix(canon.Digest([]byte("files\x00"+tt.name)), "sha256:")
		want, digits := tt.want, strings.Count(tt.want, "#")
		want = strings.Replace(want, strings.Repeat("#", digits), hash[:digits], 1)
		if got != want {
			t.Errorf("within %d characters %q has alias %q, want %q", tt.max, tt.name, got, want)
		}
	}
	if Alias("a", "search", 64) == Alias("b", "search", 64) {
		t.Error("tools of one name on two servers have one alias")
	}
}

// Every alias is taken by every client: charset and length, behind the client's own prefix, and as it comes when the client cuts.
func TestAliasIsLegalEverywhere(t *testing.T) {
	names := []string{"", "a", "-", "__", "9", "read file", "a.b/c", "查询", "é", "\xff", "_x", strings.Repeat("long_", 60), "t1234abcd", "x_deadbeef"}
	for i := range 300 {
		names = append(names, fmt.Sprintf("%ssuffix%d", strings.Repeat("the_same_beginning_", i%9), i))
	}
	for _, server := range []string{"s", "files", "a-server-with-quite-a-long-name"} {
		for _, plugin := range []string{"", "kit"} {
			of := Names{Server: server, Plugin: plugin, Title: "A server's own, and long, title"}
			table, err := NewAliases(server, names, All().Room(of), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				alias, ok := table.Alias(name)
				if back, known := table.Name(alias); !ok || !known || back != name {
					t.Errorf("%q has alias %q, which is of %q", name, alias, back)
				}
				for _, p := range append(All().Specs, All().Clients...) {
					if l, ok := p.Limit("name-charset"); ok && !regexp.MustCompile(l.Pattern).MatchString(p.Expose(of, alias)) {
						t.Errorf("%s refuses the characters of %q", p.Axis(), alias)
					}
					if l, ok := p.Limit("name-length"); ok && (len(p.Counted(l, of, alias)) > l.Max || len(alias) < l.Min) {
						t.Errorf("%s refuses the length of %q", p.Axis(), alias)
					}
					if !strings.HasSuffix(p.Expose(of, alias), alias) {
						t.Errorf("%s shows %q as %q", p.Axis(), alias, p.Expose(of, alias))
					}
				}
			}
		}
	}
}

func TestExpose(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, tt := range []struct {
		client string
		names  Names
		tool   string
		want   string
	}{
		{"bedrock", Names{Server: "files"}, "read", "read"},
		{"claude-code", Names{Server: "files"}, "read", "mcp__files__read"},
		{"claude-code", Names{Server: "files", Plugin: "kit"}, "read", "mcp__plugin_kit_files__read"},
		{"claude-code", Names{Server: "files"}, long, "mcp__files__" + long},
		{"copilot-cli", Names{Server: "files", Plugin: "kit"}, "read", "files-read"},
		{"cursor", Names{Server: "files"}, "fs.read", "mcp_files_fs.read"},
		{"vscode-copilot", Names{Server: "files"}, "fs.read", "mcp_files_fs_read"},
		{"vscode-copilot", Names{Server: "gh", Title: "GitHub: the Server"}, "read", "mcp_github_the_se_read"},
		{"vscode-copilot", Names{Server: "gh", Title: "GitHub: the Server", Number: 2}, "read", "mcp_github_the_s2_read"},
		{"vscode-copilot", Names{Server: "files"}, long, "mcp_files_" + long[:54]},
		{"vscode-copilot", Names{Server: "日本"}, long, "mcp___" + long[:58]},
	} {
		p, err := All().Client(tt.client)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Expose(tt.names, tt.tool); got != tt.want {
			t.Errorf("%s shows %q of %+v as %q, want %q", tt.client, tt.tool, tt.names, got, tt.want)
		}
	}
}

func TestRoom(t *testing.T) {
	// Claude Code advises 64: mcp__files__ takes 12, mcp__plugin_kit_files__ takes 23. Cursor counts 59 of server and tool, and two titles
	// take 15 and 18 of the 64 behind which Copilot cuts.
	for _, tt := range []struct {
		names Names
		want  int
	}{
		{Names{Server: "files"}, 52}, {Names{Server: "files", Plugin: "kit"}, 41}, {Names{Server: strings.Repeat("s", 60)}, -3},
		{Names{Server: "f", Title: "a title longer than the name"}, 46},
	} {
		if got := All().Room(tt.names); got != tt.want {
			t.Errorf("room beside %+v: %d, want %d", tt.names, got, tt.want)
		}
	}
}

func TestAliasesRefuseWhatCannotBeToldApart(t *testing.T) {
	if _, err := NewAliases("s", []string{"read_file", "write_file", "read_file"}, 64, nil); err != nil {
		t.Error(err)
	}
	if _, err := NewAliases("s", []string{"read_file", "write_file"}, 1, nil); err == nil || !strings.Contains(err.Error(), `"read_file" and "write_file"`) {
		t.Errorf("one character for two names: %v", err)
	}
}
