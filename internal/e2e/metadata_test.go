package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/learn/view"
)

// watcher is a typed client of a served pack that is told of updates.
type watcher struct {
	*world
	*mcp.ClientSession
	ctx     context.Context
	updates chan string
}

// watch serves the pack on stdio to the official client.
func (w *world) watch(ctx context.Context, args ...string) watcher {
	w.Helper()
	updates := make(chan string, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI },
	})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: w.command(ctx, w.env(), append([]string{"mcp", "serve", "pack"}, args...)...)}, nil)
	if err != nil {
		w.Fatal(err)
	}
	return watcher{w, session, ctx, updates}
}

// metadata reads the view in both formats.
func (c watcher) metadata() view.Document {
	c.Helper()
	var all [2]view.Document
	for i, uri := range []string{view.ToolsMetadataURI, view.ToolsMetadataURI + "?format=json"} {
		read, err := c.ReadResource(c.ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(read.Contents) != 1 || read.Contents[0].URI != uri {
			c.Fatalf("%s: %+v, %v", uri, read, err)
		}
		if all[i], err = view.Decode([]byte(read.Contents[0].Text)); err != nil || !all[i].Intact() {
			c.Fatalf("%s: %v\n%s", uri, err, read.Contents[0].Text)
		}
	}
	if all[0].Etag != all[1].Etag {
		c.Errorf("YAML has the etag %s, and JSON %s", all[0].Etag, all[1].Etag)
	}
	return all[0]
}

// until waits to be told that the view is another, as often as it takes to be as it should.
func (c watcher) until(what string, is func(view.Document) bool) view.Document {
	c.Helper()
	for {
		select {
		case <-c.updates:
			if d := c.metadata(); is(d) {
				return d
			}
		case <-c.ctx.Done():
			c.Fatalf("nobody told that %s", what)
		}
	}
}

func namesOf(d view.Document) string {
	var names []string
	for _, t := range d.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

func callsOf(d view.Document, tool string) int64 {
	for _, t := range d.Tools {
		if t.Name == tool && t.Stats != nil {
			return t.Stats.Invocations
		}
	}
	return 0
}

// TestMetadataIsServed has the official client read what a pack publishes, beside the server's own resources: what was certified of the tools that may be called, and then
// what is learned of calls that were seen, reported, and what is approved meanwhile, each of which it is told of.
func TestMetadataIsServed(t *testing.T) {
	t.Parallel()
	server, err := refunds()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, anvilBinary)
	w.write("anvil.yaml", "facade:\n  reports: true\n")
	w.must(0, "mcp", "adopt", "--mode", "facade", "--out", "pack", "--approve", "read-only", "--by", "ada", "--", server)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := w.watch(ctx, "--learn", "learned.db")
	defer c.Close()

	resources, templates := "", 0
	announced := c.InitializeResult().Capabilities
	if _, there := announced.Extensions[view.ExtensionID]; !there || announced.Resources == nil || !announced.Resources.Subscribe {
		t.Errorf("announced: %+v", announced)
	}
	for r, err := range c.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		resources += " " + r.URI
	}
	for _, err := range c.ResourceTemplates(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		templates++
	}
	if resources != " refunds://ledger refunds://policy "+view.ToolsMetadataURI+" "+view.ToolsMetadataURI+"?format=json" || templates != 1+5 {
		t.Errorf("resources%s, %d templates", resources, templates)
	}
	if read, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: "refunds://policy"}); err != nil || !strings.Contains(read.Contents[0].Text, "Refund policy") {
		t.Errorf("the server's own: %+v, %v", read, err)
	}

	certified, err := view.Decode(w.read("pack", "tools-metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	first := c.metadata()
	approved := view.Document{}
	for _, tool := range certified.Tools {
		if tool.State == "approved" {
			approved.Tools = append(approved.Tools, tool)
		}
	}
	if len(approved.Tools) == 0 || len(approved.Tools) == len(certified.Tools) {
		t.Fatalf("%d tools of %d are approved", len(approved.Tools), len(certified.Tools))
	}
	if diff := cmp.Diff(approved.Tools, first.Tools); diff != "" {
		t.Errorf("not what was certified of the tools that may be called (-certified +published):\n%s", diff)
	}

	if err := c.Subscribe(ctx, &mcp.SubscribeParams{URI: view.ToolsMetadataURI}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "get_refund", Arguments: map[string]any{"refundId": "rf-1001"}}); err != nil {
		t.Fatal(err)
	}
	seen := c.until("a call was seen", func(d view.Document) bool { return callsOf(d, "get_refund") == 1 })
	if seen.Etag == first.Etag || seen.GeneratedAt == first.GeneratedAt {
		t.Errorf("the same etag %s, or time %s", seen.Etag, seen.GeneratedAt)
	}
	report, err := c.CallTool(ctx, &mcp.CallToolParams{Name: view.ReportTool, Arguments: map[string]any{"tool": "get_refund", "status": "failure", "timestamp": seen.GeneratedAt, "duration_ms": 5}})
	if accepted, _ := report.StructuredContent.(map[string]any)["accepted"].(bool); err != nil || !accepted {
		t.Fatalf("%+v, %v", report, err)
	}
	c.until("a call was reported", func(d view.Document) bool { return callsOf(d, "get_refund") == 2 })
	w.must(0, "mcp", "approve", "pack", "create_refund", "--by", "ada")
	c.until("a tool was approved", func(d view.Document) bool { return strings.Contains(namesOf(d), "create_refund") })

	w.must(0, "mcp", "adopt", "--mode", "facade", "--out", "pack", "--", server)
	if !strings.Contains(string(w.read("pack", "facade.yaml")), "reports: true") {
		t.Error("adopting again forgets that reports are taken")
	}
}
