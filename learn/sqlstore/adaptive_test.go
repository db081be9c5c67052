package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// The published schema of adaptive-mcp's store, versions 1 to 4.
const adaptiveSchema = `
CREATE TABLE tools (tool_name TEXT NOT NULL, server_name TEXT NOT NULL DEFAULT '', annotation TEXT, insights TEXT DEFAULT '[]', recommendations TEXT DEFAULT '[]',
	stats TEXT DEFAULT '{}', updated_at TEXT, PRIMARY KEY (tool_name, server_name));
CREATE TABLE execution_nodes (id TEXT PRIMARY KEY, tool_name TEXT, server_name TEXT, session_id TEXT NOT NULL, workflow_id TEXT, parent_id TEXT REFERENCES execution_nodes(id),
	children_ids TEXT DEFAULT '[]', timestamp TEXT, duration_ms INTEGER, status TEXT, input TEXT, output TEXT, error TEXT, cost TEXT, metadata TEXT, model TEXT);
CREATE TABLE metric_cells (tool_name TEXT, server_name TEXT, window TEXT, dims_key TEXT, dims TEXT, invocations INTEGER, failures INTEGER, attempts INTEGER,
	error_codes TEXT, duration_sum REAL, duration_count INTEGER, duration_hist TEXT, token_in_sum INTEGER, token_out_sum INTEGER, token_count INTEGER, cost_sum REAL,
	ewma_failure_rate REAL, ewma_duration_ms REAL, first_seen TEXT, last_seen TEXT, exemplars TEXT, PRIMARY KEY (tool_name, server_name, window, dims_key));
CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, applied_at TEXT);
INSERT INTO schema_migrations VALUES (1, 'init', '2026-01-01T00:00:00.000Z'), (2, 'timestamp', '2026-01-01T00:00:00.001Z'), (3, 'metric_cells', '2026-01-01T00:00:00.002Z');
INSERT INTO tools VALUES ('deploy', 'ci', '{"toolName":"deploy","risk":"high","owner":"ops","tags":["a","b"],"metadata":{"x":1}}', '[]', '[]', '{}', ''),
	('search', '', NULL, '[]', '[]', '{}', ''), ('old', 'ci', '{}', '[]', '[]', '{}', '');
INSERT INTO execution_nodes (id, tool_name, server_name, session_id, workflow_id, parent_id, timestamp, duration_ms, status, input, output, error, cost, model) VALUES
	('n1', 'deploy', 'ci', 's1', 'w1', NULL, '2026-02-01T10:00:00.500+02:00', 1500, 'completed', '{"to":"prod"}', '{"ok":true}', NULL, '{"inputTokens":10,"amount":0.0021,"currency":"eur"}', 'm1'),
	('n2', 'deploy', 'ci', 's1', NULL, 'n1', '2026-02-01T08:00:01.000Z', NULL, 'failed', NULL, NULL, '{"message":"no","code":"ETIMEDOUT"}', NULL, NULL),
	('n3', 'deploy', 'ci', 's1', NULL, NULL, '2026-02-01T08:00:02.000Z', NULL, 'started', NULL, NULL, NULL, NULL, NULL);
INSERT INTO metric_cells VALUES
	('deploy', 'ci', 'all', '[]', '{}', 99, 9, 99, '{}', 1, 1, '[]', 0, 0, 0, 0, NULL, NULL, '2026-01-05T08:00:00.000Z', '2026-01-06T08:00:00.000Z', '[]'),
	('old', 'ci', 'all', '[]', '{}', 20, 3, 25, '{"ETIMEDOUT":2,"some long message":1}', 480.5, 4, '[4,0,0,0,0,0,0,0,0]', 40, 20, 4, 0.5, 0.1, 1, '2026-01-05T08:00:00.000Z', '2026-01-06T08:00:00.000Z', '[]'),
	('old', 'ci', 'all', '[["model","m1"]]', '{"model":"m1"}', 5, 0, 5, '{}', 0, 0, '[]', 0, 0, 0, 0, NULL, NULL, '2026-01-05T08:00:00.000Z', '2026-01-06T08:00:00.000Z', '[]'),
	('old', 'ci', 'all', '[["region","eu"]]', '{"region":"eu"}', 5, 0, 5, '{}', 0, 0, '[]', 0, 0, 0, 0, NULL, NULL, '2026-01-05T08:00:00.000Z', '2026-01-06T08:00:00.000Z', '[]');`

func adaptiveFile(t *testing.T, more ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "adaptive.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range append([]string{adaptiveSchema}, more...) {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) (list []Found) {
	t.Helper()
	for f, err := range ReadAdaptive(t.Context(), path) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	return list
}

func TestReadAdaptive(t *testing.T) {
	list := read(t, adaptiveFile(t))
	if len(list) != 4 || !strings.HasPrefix(list[0].Source, "adaptive-mcp:sha256:") || list[0].Source != list[3].Source {
		t.Fatalf("%+v", list)
	}
	deploy, at := learn.Tool{Server: "ci", Name: "deploy"}, time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)
	if diff := cmp.Diff(&learn.Annotation{Risk: "high", Owner: "ops", Tags: []string{"a", "b"}}, list[0].Annotation); diff != "" || list[0].Tool != deploy {
		t.Error(diff)
	}
	first := learn.Observation{Event: learn.Event{ID: "n1", Tool: deploy, Session: "s1", Workflow: "w1", At: at.Add(500 * time.Millisecond), Duration: 1500 * time.Millisecond,
		Outcome: learn.Succeeded, Attempts: 1, Model: "m1", Tokens: &learn.Tokens{Input: 10}, Cost: &learn.Money{Micros: 2100, Currency: "EUR"},
		Input: learn.Unmeasured, Output: learn.Unmeasured}, Arguments: []byte(`{"to":"prod"}`), Result: []byte(`{"ok":true}`)}
	second := learn.Observation{Event: learn.Event{ID: "n2", Tool: deploy, Session: "s1", Parent: "n1", At: at.Add(time.Second), Duration: learn.Untimed, Outcome: learn.Failed,
		Code: "ETIMEDOUT", Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}}
	if diff := cmp.Diff([]*learn.Observation{&first, &second}, []*learn.Observation{list[1].Observation, list[2].Observation}); diff != "" {
		t.Error(diff)
	}
	if cells := list[3].Cells; len(cells) != 2 || cells[1].DurationSum != 480_500 || cells[1].Timed != 4 || cells[1].Cost[learn.NoCurrency].Micros != 500_000 || cells[0].Dims.Model != "m1" {
		t.Errorf("%+v", cells)
	}
	for range ReadAdaptive(t.Context(), adaptiveFile(t)) {
		break
	}
}

// TestAdaptiveCodesAreThoseOfItsEvents: a number is a code as well as a word, here as in its files of events.
func TestAdaptiveCodesAreThoseOfItsEvents(t *testing.T) {
	for _, f := range read(t, adaptiveFile(t, `UPDATE execution_nodes SET error = '{"code":503}' WHERE id = 'n2'`)) {
		if o := f.Observation; o != nil && o.ID == "n2" {
			if e, err := o.Checked(noon()); err != nil || e.Code != "503" {
				t.Errorf("%q, %v", e.Code, err)
			}
			return
		}
	}
	t.Error("there is no n2")
}

// TestImportIsDoneOnce: nodes by their ids, sums by their source, also when the file has moved and grown.
func TestImportIsDoneOnce(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, url)
		for i, path := range []string{adaptiveFile(t), adaptiveFile(t, `INSERT INTO schema_migrations VALUES (4, 'attempts', 'later')`)} {
			r := learn.NewRecorder(s, learn.RecorderOptions{})
			for _, f := range read(t, path) {
				switch {
				case f.Annotation != nil:
					if err := s.Annotate(t.Context(), f.Tool.Server, f.Tool.Name, *f.Annotation); err != nil {
						t.Error(err)
					}
				case f.Observation != nil:
					r.Observe(*f.Observation)
				default:
					if taken, err := s.Import(t.Context(), f.Source, f.Tool, f.Cells); err != nil || taken != (i == 0) {
						t.Errorf("taken %v, %v", taken, err)
					}
				}
			}
			if err := r.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		deploy, err := s.Find(t.Context(), "ci", "deploy")
		old, err2 := s.Find(t.Context(), "ci", "old")
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if c := deploy.Cell(learn.All, learn.Dimensions{}); c.Invocations != 2 || c.Failures != 1 || deploy.Annotation.Risk != "high" {
			t.Errorf("%+v", deploy)
		}
		c := old.Cell(learn.All, learn.Dimensions{})
		if c.Invocations != 20 || c.Failures != 3 || c.Attempts != 25 || c.Duration.Count() != 0 || len(c.Recent) != 0 || fmt.Sprint(c.Codes) != "map[ETIMEDOUT:2 unknown:1]" {
			t.Errorf("%+v", c)
		}
		if !old.Updated.Equal(time.Date(2026, 1, 6, 8, 0, 0, 0, time.UTC)) || !c.First.Equal(old.Updated.AddDate(0, 0, -1)) {
			t.Errorf("%+v", old)
		}
		for _, bad := range []learn.Cell{{Window: "day:1", Last: noon()}, {Window: learn.All, Failures: -1, Last: noon()}, {Window: learn.All}, {Window: learn.All, Last: noon().AddDate(1, 0, 0)}} {
			if _, err := s.Import(t.Context(), "x", old.Tool, []learn.Cell{bad}); err == nil {
				t.Errorf("taken: %+v", bad)
			}
		}
	})
}

// TestBadAdaptiveRowsAreTold: each with its row, and all others are read.
func TestBadAdaptiveRowsAreTold(t *testing.T) {
	for statement, want := range map[string]string{
		`UPDATE tools SET annotation = '{"a' WHERE tool_name = 'old'`:                                         `row "ci/old" of table tools`,
		`UPDATE tools SET annotation = '{"risk":"ULTRA\u001b[31m"}' WHERE tool_name = 'old'`:                  `is no risk; these are: low, medium, high`,
		`UPDATE tools SET annotation = '{"owner":"x"}', tool_name = '' WHERE tool_name = 'old'`:               `it names no tool`,
		`UPDATE execution_nodes SET cost = 'x' WHERE id = 'n3'; UPDATE execution_nodes SET status = 'failed'`: `row "n3" of table execution_nodes`,
		`UPDATE execution_nodes SET timestamp = 'x', status = 'failed' WHERE id = 'n3'`:                       `row "n3" of table execution_nodes cannot be read: its timestamp "x"`,
		`UPDATE execution_nodes SET duration_ms = 'long', status = 'failed' WHERE id = 'n3'`:                  `its duration_ms is no number`,
		`UPDATE metric_cells SET dims = '[1' WHERE dims_key LIKE '%region%'`:                                  `row "ci/old" "all" "[[\"region\",\"eu\"]]" of table metric_cells`,
		`UPDATE metric_cells SET error_codes = '' WHERE tool_name = 'deploy'`:                                 `"ci/deploy" "all" "[]" of table metric_cells`,
		`UPDATE metric_cells SET first_seen = '' WHERE tool_name = 'deploy'`:                                  `its first_seen ""`,
		`UPDATE metric_cells SET window = 'day:1' WHERE tool_name = 'deploy'`:                                 `its window is neither`,
		`UPDATE metric_cells SET invocations = 20, failures = 50 WHERE tool_name = 'deploy'`:                  `its failures are 50 of 20 invocations`,
		`UPDATE metric_cells SET invocations = -5, failures = 10 WHERE tool_name = 'deploy'`:                  `its invocations is -5`,
		`UPDATE metric_cells SET failures = 1e300 WHERE tool_name = 'deploy'`:                                 `its failures is 1e+300`,
		`UPDATE metric_cells SET invocations = 'many' WHERE tool_name = 'deploy'`:                             `its invocations is no number`,
		`UPDATE metric_cells SET cost_sum = -1 WHERE tool_name = 'deploy'`:                                    `its cost_sum`,
		`UPDATE metric_cells SET error_codes = '{"E":10}' WHERE tool_name = 'deploy'`:                         `its codes count more than its 9 failures`,
		`UPDATE metric_cells SET last_seen = '2025-01-05T08:00:00.000Z' WHERE tool_name = 'deploy'`:           `its last event is before its first`,
		`UPDATE metric_cells SET error_codes = '{"E":9223372036854775807}' WHERE tool_name = 'deploy'`:        `its error codes count`,
	} {
		var told []error
		found := 0
		for f, err := range ReadAdaptive(t.Context(), adaptiveFile(t, statement)) {
			var corrupt *learn.CorruptError
			switch {
			case err == nil:
				found += max(1, len(f.Cells))
			case errors.As(err, &corrupt) && corrupt.Foreign:
				told = append(told, err)
			default:
				t.Errorf("%s: it ends with %v", statement, err)
			}
		}
		if len(told) != 1 || !strings.Contains(told[0].Error(), want) || strings.Contains(told[0].Error(), "reset") || strings.Contains(told[0].Error(), "\x1b") || found != 5 {
			t.Errorf("%s: %q, want %q; %d found", statement, told, want, found)
		}
	}
	for range ReadAdaptive(t.Context(), adaptiveFile(t, `UPDATE tools SET annotation = '{'; UPDATE execution_nodes SET cost = 'x'`)) {
		break
	}
}

// TestAdaptiveFilesThatNeverEnd: a view stands for no table, and who gives no row is not waited for.
func TestAdaptiveFilesThatNeverEnd(t *testing.T) {
	const endless = `(WITH RECURSIVE r(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM r) SELECT x AS tool_name FROM r WHERE x < 0)`
	for _, table := range []string{"tools", "execution_nodes", "schema_migrations"} {
		for _, err := range ReadAdaptive(t.Context(), adaptiveFile(t, `DROP TABLE `+table+`; CREATE VIEW `+table+` AS SELECT * FROM `+endless)) {
			if !errors.Is(err, learn.ErrForeign) || !strings.Contains(err.Error(), "it has no table "+table) {
				t.Errorf("%s: %v", table, err)
			}
		}
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	a := &adaptive{ctx: t.Context(), db: conn, patience: time.Millisecond}
	if err := a.each(endless, "1", func(row) error { return nil }); !errors.Is(err, errSlow) {
		t.Errorf("%v", err)
	}
	a.patience = patience
	if err := a.each(`(SELECT 1 AS tool_name)`, "1", func(row) error { return errEnough }); !errors.Is(err, errEnough) {
		t.Errorf("%v", err)
	}
}

// TestWhatOthersStateOnlyTightens: files that state another thing of a tool come out the same in any order and however often, with the higher risk.
func TestWhatOthersStateOnlyTightens(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, url)
		tool := learn.Tool{Server: "ci", Name: "deploy"}
		high, low := learn.Annotation{Risk: "High", Owner: "ops", Tags: []string{"a"}}, learn.Annotation{Risk: "low", Owner: "dev", Description: "d\x1b[31m" + strings.Repeat("x", 100_000)}
		for i, c := range []struct {
			stated learn.Annotation
			held   string
		}{{high, "[]"}, {low, `[risk "high" stays, and is not lowered to "low" owner "ops" stays, and does not become "dev"]`}, {high, "[]"}} {
			held, err := s.ImportAnnotation(t.Context(), tool, c.stated)
			if err != nil || fmt.Sprint(held) != c.held {
				t.Errorf("%d: %q, %v", i, held, err)
			}
		}
		r, err := s.Find(t.Context(), "ci", "deploy")
		if a := r.Annotation; err != nil || a.Risk != "high" || a.Owner != "ops" || len(a.Description) != 1000 || strings.Contains(a.Description, "\x1b") {
			t.Errorf("%+v, %v", a, err)
		}
		if err := s.Annotate(t.Context(), "ci", "deploy", learn.Annotation{Risk: "low"}); err != nil {
			t.Error(err)
		}
		if _, err := s.ImportAnnotation(t.Context(), tool, high); err != nil {
			t.Error(err)
		}
		if r, err := s.Find(t.Context(), "ci", "deploy"); err != nil || r.Annotation.Risk != "high" {
			t.Errorf("%+v, %v", r.Annotation, err)
		}
		if err := s.Annotate(t.Context(), "ci", "deploy", learn.Annotation{Risk: "ULTRA\n\x1b[31m"}); err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%v", err)
		}
	})
}

func TestBadAdaptiveFiles(t *testing.T) {
	for statement, want := range map[string]string{
		`DROP TABLE tools`: "no database of anvil's nor of adaptive-mcp's: it has no table tools",
		`INSERT INTO schema_migrations VALUES (9, 'graphs', '')`:                   `version 9 ("graphs")`,
		`DELETE FROM schema_migrations`:                                            "its table schema_migrations is empty",
		`UPDATE tools SET annotation = zeroblob(17000000) WHERE tool_name = 'old'`: "too big",
	} {
		var got error
		for _, err := range ReadAdaptive(t.Context(), adaptiveFile(t, statement)) {
			got = err
		}
		if got == nil || !strings.Contains(got.Error(), want) || strings.Contains(got.Error(), "reset") {
			t.Errorf("%s: %v, want %q", statement, got, want)
		}
	}
	for _, err := range ReadAdaptive(t.Context(), filepath.Join(t.TempDir(), "none.db")) {
		if err == nil {
			t.Error("a file that is not there is read")
		}
	}
}
