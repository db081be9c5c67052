package cli

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"anvil/learn"
	"anvil/learn/exchange"
)

// cmdCalls writes events of a tool as the lines that import takes: calls FILE SERVER/TOOL N [NAME=VALUE...]. The first ended so long ago as ago says, the others a
// minute apart; of ten calls, failed many fail. More: ms, session, workflow, client, model, cost, contract, code.
func cmdCalls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: calls FILE SERVER/TOOL N [NAME=VALUE...]")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	set := map[string]string{"ago": "3h", "ms": "100", "failed": "0", "code": "ETIMEDOUT"}
	for _, pair := range args[3:] {
		name, value, _ := strings.Cut(pair, "=")
		set[name] = value
	}
	ago, err := time.ParseDuration(set["ago"])
	ts.Check(err)
	ms, err := strconv.Atoi(set["ms"])
	ts.Check(err)
	failed, err := strconv.Atoi(set["failed"])
	ts.Check(err)
	server, name, _ := strings.Cut(args[1], "/")
	name, err = unquoted(name)
	ts.Check(err)
	begin := time.Now().UTC().Add(-ago)
	var events iter.Seq2[learn.Event, error] = func(yield func(learn.Event, error) bool) {
		for i := range n {
			e := learn.Event{ID: fmt.Sprintf("%s-%d", args[0], i), Tool: learn.Tool{Server: server, Name: name, Contract: set["contract"]}, At: begin.Add(time.Duration(i) * time.Minute),
				Duration: time.Duration(ms) * time.Millisecond, Outcome: learn.Succeeded, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured, Session: set["session"],
				Workflow: set["workflow"], Client: set["client"], Model: set["model"]}
			if i%10 < failed {
				e.Outcome, e.Code = learn.Failed, set["code"]
			}
			if set["cost"] != "" {
				m, err := learn.ParseMoney(set["cost"], "USD")
				ts.Check(err)
				e.Cost = &m
			}
			if !yield(e, nil) {
				return
			}
		}
	}
	file, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = exchange.WriteJSONL(file, events)
	ts.Check(err)
	ts.Check(file.Close())
}

// unquoted reads the escapes of a name, such as \x1b and \u202e, which a script cannot hold.
func unquoted(name string) (string, error) { return strconv.Unquote(`"` + name + `"`) }

// cmdSQL changes a database as another program does, or a later anvil: sql FILE STATEMENT
func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENT")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0])) // the driver that learn/sqlstore brings
	ts.Check(err)
	_, err = db.ExecContext(context.Background(), args[1])
	ts.Check(err)
	ts.Check(db.Close())
}
