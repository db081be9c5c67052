package trapserver

import (
	"fmt"
	"os"
	"strings"
)

// pageSize is how many tools stand on a page.
const pageSize = 4

// plain is what every mode serves beside its tools.
var plain = map[string][]string{
	"resources":         {`{"uri":"trap://a","name":"a","size":9007199254740993}`, `{"name":"b","uri":"trap://b","x":1.0}`},
	"resourceTemplates": {`{"uriTemplate":"trap://{id}","name":"t"}`},
	"prompts":           {`{"name":"ask","arguments":[{"name":"q","required":true}]}`},
}

// plainTools are ten tools with members that decoders drop, round or fold.
func plainTools() []string {
	tools := []string{
		`{"name":"search","description":"Find \u00e9 and \/","inputSchema":{"type":"object","properties":{"q":{"type":"string","maxLength":1e2}}},"NAME":"other"}`,
		`{"x-vendor":{"a":[1.0,9007199254740993,-0]},"name":"count","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`,
	}
	for i := len(tools); i < 10; i++ {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"d","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}`, i))
	}
	return tools
}

func (m mode) items() []string {
	if m.tools == nil {
		return plainTools()
	}
	return m.tools()
}

// initialize is the result of initialize.
func (m mode) initialize() string {
	version := m.version
	if version == "" {
		version = "2025-11-25"
	}
	return `{"protocolVersion":"` + version + `","serverInfo":{"name":"trap","version":"1","x":1.0},` +
		`"capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{},"x-new":{}},"instructions":"Mind the gap."}`
}

// Initialize returns the result of initialize in a mode, as it is sent.
func Initialize(name string) string { return modes[name].initialize() }

// Items returns what a mode serves in a list ("tools", "resources", "resourceTemplates", "prompts"), item by item as it is sent and in that
// order. Of modes whose list has no end, that change it or end in the middle it is what a client can have read. The tools of modes "environment"
// and "leaves-child" are made in the server; they must not be asked for.
func Items(name, list string) []string {
	if list == "tools" {
		return modes[name].items()
	}
	return plain[list]
}

// withTool returns tools as every other mode has them, and one more in their midst.
func withTool(tool string) func() []string {
	return func() []string {
		tools := plainTools()
		return append(append(tools[:5:5], tool), tools[5:]...)
	}
}

// nested is a tool whose schema is so many levels deep.
func nested(levels int) string {
	return `{"name":"deep","inputSchema":{"type":"object","not":` + strings.Repeat(`{"not":`, levels-1) + `{}` + strings.Repeat(`}`, levels) + `}`
}

// LargeBytes is the least size of the tool list of mode "large-line", in one line.
const LargeBytes = 5 << 20

func largeTools() []string {
	var tools []string
	for i, size := 0, 0; size < LargeBytes; i++ {
		tool := fmt.Sprintf(`{"name":"large_%05d","description":"%s","inputSchema":{"type":"object","properties":{"v":{"const":%d.50}}}}`,
			i, strings.Repeat("word ", 190), i)
		tools, size = append(tools, tool), size+len(tool)
	}
	return tools
}

// environment is one tool for each variable there is.
func environment() []string {
	var tools []string
	for i, entry := range os.Environ() {
		tools = append(tools, fmt.Sprintf(`{"name":"env_%d","description":%q,"inputSchema":{"type":"object"}}`, i, strings.ToValidUTF8(entry, "?")))
	}
	return tools
}
