package facade

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn"
	"anvil/learn/view"
	"anvil/wire"
)

// Reporter reads what a client reports of a call: see [view.Reporter]. It must be safe for concurrent use and not block.
type Reporter interface {
	Report(arguments []byte, client string, now time.Time) (e learn.Event, accepted bool, err error)
}

// maxReport bounds the arguments of one report, in bytes: they are read where the client's messages are handled.
const maxReport = 16 << 10

// reportTool is the facade's own entry of tools/list.
const reportTool = `{"name":"` + view.ReportTool + `","title":"Report an observation","description":"Tells how a call of another tool of this server went for its caller. ` +
	`It calls nothing and changes nothing but statistics. Reports are optional and limited in number.","inputSchema":` + view.ReportSchema +
	`,"outputSchema":{"type":"object","properties":{"accepted":{"type":"boolean"}},"required":["accepted"]},` +
	`"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`

// takesReports reports whether clients may report what they observed.
func (o Options) takesReports() bool {
	return o.Reporter != nil && o.Observe != nil && o.Serving.TakesReports()
}

// offersReports reports whether the walk ends with the facade's tool in the list: neither the pack nor the server may have one of that name, which would then be another.
func (w *walk) offersReports() bool {
	if !w.facade.options.takesReports() {
		return false
	}
	_, exposed := w.under.Tools[view.ReportTool]
	_, known := w.under.Known[view.ReportTool]
	if exposed || known || w.rival {
		w.facade.notes.logf("the server has a tool %s of its own, so clients cannot report what they observed: the facade's is not offered", view.ReportTool)
		return false
	}
	return true
}

// reporting answers calls of the facade's own tool. It stands before the gate, which knows approved tools alone.
type reporting struct {
	session *session
	next    Upstream
}

func (l reporting) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	if c.Tool != view.ReportTool {
		l.next.Call(ctx, c, reply)
		return
	}
	tools := &l.session.tools
	if roster := tools.current(); roster != nil {
		l.decide(ctx, c, reply, roster)
		return
	}
	tools.verify(c.Request.Bytes(c.Request.ID), func(roster *roster, err error) {
		if err != nil {
			l.session.refuseCall(c, reply, l.session.facade.notVerified(c.Tool, err))
			return
		}
		l.decide(ctx, c, reply, roster)
	}, c.cancel)
}

func (l reporting) decide(ctx context.Context, c *Call, reply func(wire.Envelope), roster *roster) {
	if !roster.reports {
		l.next.Call(ctx, c, reply)
		return
	}
	accepted, err := l.take(c)
	if err != nil {
		l.session.refuseCall(c, reply, refusal{code: codeParams, reason: string(air.ErrValidation), message: "the report is not taken: " + diag.Printable(cut(err.Error(), 300)),
			hint: "give tool, status (success, failure or error) and timestamp as the tool's input schema has them; the work itself needs no report"})
		return
	}
	text := fmt.Sprintf(`{"accepted":%t}`, accepted)
	reply(resultOf(l.session.complete([]byte(`{"content":[{"type":"text","text":` + string(canon.Quote(text)) + `}],"structuredContent":` + text + `}`))))
}

// take hands a report over to whoever learns from calls. What is reported of an approved tool counts for the contract that it has now.
func (l reporting) take(c *Call) (accepted bool, err error) {
	f := l.session.facade
	if len(c.Arguments) > maxReport {
		return false, fmt.Errorf("it has more than %d bytes", maxReport)
	}
	e, accepted, err := f.options.Reporter.Report(bytes.Clone(c.Arguments), c.Client.name(), f.now())
	if err != nil || !accepted {
		return false, err
	}
	e.Tool.Contract = f.exposed.Load().contracts[e.Tool.Name]
	f.options.Observe(learn.Observation{Event: e})
	return true, nil
}

// name is who the client is to those that count by clients: whom the front authenticated, else the session alone.
func (c *Client) name() string {
	if c.Subject != "" {
		return c.Subject
	}
	return "session:" + c.Session
}
