package export

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/diag"
)

// These are the elements of a JUnit file as a reader knows them, by itself: what it does not know is an error below.
type readSuite struct {
	Name     string     `xml:"name,attr"`
	Package  string     `xml:"package,attr"`
	ID       int        `xml:"id,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Cases    []readCase `xml:"testcase"`
	Out      string     `xml:"system-out"`
}

type readCase struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	Failure *readResult `xml:"failure"`
	Error   *readResult `xml:"error"`
}

type readResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func readJUnit(t *testing.T, data []byte) []readSuite {
	t.Helper()
	var read struct {
		XMLName xml.Name    `xml:"testsuites"`
		Suites  []readSuite `xml:"testsuite"`
	}
	d := xml.NewDecoder(strings.NewReader(string(data)))
	if err := d.Decode(&read); err != nil {
		t.Fatalf("%v in %.500s", err, data)
	}
	if rest, err := d.Token(); err != io.EOF {
		if text, ok := rest.(xml.CharData); !ok || strings.TrimSpace(string(text)) != "" {
			t.Errorf("behind the report: %v, %v", rest, err)
		}
	}
	return read.Suites
}

// TestJUnitIsWellFormed reads every report, and counts what it counts.
func TestJUnitIsWellFormed(t *testing.T) {
	known := map[string]bool{"testsuites": true, "testsuite": true, "properties": true, "property": true, "testcase": true, "failure": true, "error": true,
		"system-out": true, "system-err": true}
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			data, err := JUnit(r, testTool())
			if err != nil {
				t.Fatal(err)
			}
			for d := xml.NewDecoder(strings.NewReader(string(data))); ; {
				token, err := d.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if e, ok := token.(xml.StartElement); ok && !known[e.Name.Local] {
					t.Errorf("element %s", e.Name.Local)
				}
			}
			suites := readJUnit(t, data)
			if len(suites) == 0 {
				t.Fatal("no suite")
			}
			for i, s := range suites {
				checkSuite(t, i, s)
			}
		})
	}
}

func checkSuite(t *testing.T, i int, s readSuite) {
	t.Helper()
	var failures, errors int
	for _, c := range s.Cases {
		if c.Name == "" || c.Class == "" {
			t.Errorf("suite %q: a case without a name", s.Name)
		}
		if c.Failure != nil {
			failures++
		}
		if c.Error != nil {
			errors++
		}
	}
	if s.ID != i || s.Name == "" || s.Tests != len(s.Cases) || s.Tests == 0 || s.Failures != failures || s.Errors != errors {
		t.Errorf("suite %d %q says id %d, %d tests, %d failures, %d errors; it has %d, %d, %d", i, s.Name, s.ID, s.Tests, s.Failures, s.Errors, len(s.Cases), failures, errors)
	}
}

// TestJUnitSays lists every case of the report about several servers.
func TestJUnitSays(t *testing.T) {
	data, err := JUnit(several(), testTool())
	if err != nil {
		t.Fatal(err)
	}
	want := `together: check.together together: passes
a: check.a answers: passes
b: check.b answers: passes
b: check.b prose: passes
b: check.b tool-added: fails: tool/new: tool-added of tool/new
b: check.b tool-removed: fails: tool/x: tool-removed of tool/x (and 1 more)
c d: check.c d answers: passes
c d: check.c d prose: passes
gone: check.gone answers: breaks: unreachable: exited with code 3
left: check.left orphan: fails: server: orphan of server
`
	suites := readJUnit(t, data)
	if diff := cmp.Diff(want, casesOf(suites)); diff != "" {
		t.Errorf("cases (-want +got)\n%s", diff)
	}
	if out := suites[2].Out; !strings.Contains(out, "prose of tool/z") || strings.Contains(out, "tool-removed") {
		t.Errorf("what passes is in the output, and nothing else: %q", out)
	}
	if text := suites[2].Cases[3].Failure.Text; !strings.Contains(text, "tool/x") || !strings.Contains(text, "tool/y") {
		t.Errorf("a failure tells of all its findings: %q", text)
	}
}

func casesOf(suites []readSuite) string {
	var b strings.Builder
	for _, s := range suites {
		for _, c := range s.Cases {
			b.WriteString(s.Name + ": " + c.Class + " " + c.Name + ": ")
			switch {
			case c.Error != nil:
				b.WriteString("breaks: " + c.Error.Message + "\n")
			case c.Failure != nil:
				b.WriteString("fails: " + c.Failure.Message + "\n")
			default:
				b.WriteString("passes\n")
			}
		}
	}
	return b.String()
}

// TestJUnitOfOneServer names the suite after the target, and has a case even when nothing was found.
func TestJUnitOfOneServer(t *testing.T) {
	for target, want := range map[string]string{"": "server: diff.server answers: passes\n", "v2": "v2: diff.v2 answers: passes\n"} {
		tool := testTool()
		tool.Target = target
		data, err := JUnit(diag.NewReport("diff", nil), tool)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, casesOf(readJUnit(t, data))); diff != "" {
			t.Errorf("target %q (-want +got)\n%s", target, diff)
		}
	}
}

// TestJUnitOfNoServer is about a check that had no server to look at: nothing passed.
func TestJUnitOfNoServer(t *testing.T) {
	data, err := JUnit(diag.NewReport("check", nil), testTool())
	if err != nil {
		t.Fatal(err)
	}
	if got := casesOf(readJUnit(t, data)); got != "" {
		t.Errorf("got %s", got)
	}
}

// TestJUnitAccepted has no failure once the findings were accepted; a server that cannot be asked is still an error.
func TestJUnitAccepted(t *testing.T) {
	tool := testTool()
	tool.Accepted = func(string) bool { return true }
	data, err := JUnit(several(), tool)
	if err != nil {
		t.Fatal(err)
	}
	text := casesOf(readJUnit(t, data))
	if strings.Contains(text, "fails") || strings.Count(text, "breaks") != 1 {
		t.Errorf("got\n%s", text)
	}
}
