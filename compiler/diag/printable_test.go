package diag

import (
	"testing"

	"anvil/compiler/canon"
)

func TestShellArg(t *testing.T) {
	tests := []struct{ name, instead, want string }{
		{"search", "svc.search", "search"},
		{"svc.search/v2", "x", "svc.search/v2"},
		{"--all", "svc.all", "svc.all"},
		{"-", "svc.x", "svc.x"},
		{"two words", "svc.two_words", "svc.two_words"},
		{"$(id)", "svc.id", "svc.id"},
		{"", "svc.tool_1", "svc.tool_1"},
	}
	for _, tt := range tests {
		if got := ShellArg(tt.name, tt.instead); got != tt.want {
			t.Errorf("ShellArg(%q) = %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestShellPath(t *testing.T) {
	for path, want := range map[string]string{"pack": "pack", "-x": "./-x", "--all": "./--all", "a b": "'a b'", "-a b": "'./-a b'"} {
		if got := ShellPath(path); got != want {
			t.Errorf("ShellPath(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestPrintableJSON(t *testing.T) {
	const text = "a\u0085\u009b1m\u007f\u202e\u200b\ufeff\u2028\U000e0041 שלום é \U0001f600"
	source := []byte("{\n  \"k\": " + string(canon.Quote(text)) + "\n}\n")
	got := PrintableJSON(source)
	want := "{\n  \"k\": \"a\\u0085\\u009b1m\\u007f\\u202e\\u200b\\ufeff\\u2028\\udb40\\udc41 שלום é \U0001f600\"\n}\n"
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !canon.Equal(source, got) {
		t.Error("it says something else")
	}
}
