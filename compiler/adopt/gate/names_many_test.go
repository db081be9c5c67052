package gate

import (
	"fmt"
	"strings"
	"testing"
)

// Many names that fold to one are counted, never all named by each: the report stays in proportion to the surface.
func TestManyCollidingNamesStaySmall(t *testing.T) {
	var tools []string
	for i := range 3000 {
		tools = append(tools, fmt.Sprintf(`{"name":"a%sb","inputSchema":{"type":"object"}}`, strings.Map(func(r rune) rune {
			return map[rune]rune{'0': '-', '1': '_'}[r]
		}, fmt.Sprintf("%b", i+4096))))
	}
	size := 0
	for _, f := range checkCanonicalCollision(newSurvey(parsed(t, `{"tools":[`+strings.Join(tools, ",")+`]}`), Options{})) {
		size += len(f.Message)
	}
	if size == 0 || size > 1000*len(tools) {
		t.Errorf("messages of %d bytes for %d tools", size, len(tools))
	}
}
