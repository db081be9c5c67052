package air

import (
	"slices"
	"testing"
	"time"
)

func called(service string, tools ...[2]string) Document {
	d := Document{Service: Service{ID: service, Name: service}}
	for _, t := range tools {
		d.Operations = append(d.Operations, Operation{ID: service + "." + t[0], State: StateGenerated, MCP: MCP{ToolName: t[1]}, ContractDigest: "c-" + t[1], TextDigest: "t"})
	}
	sortOperations(d.Operations)
	return d
}

// TestDecisionsFollowTheTool: what is decided holds under whatever ids the server makes of its own name and of its tools' names.
func TestDecisionsFollowTheTool(t *testing.T) {
	was := called("shop", [2]string{"drop_table", "Drop Table"}, [2]string{"list", "list"})
	was, _ = was.WithBlocks([]Block{{Operation: "shop.drop_table", By: "ada", Reason: "no"}, {Operation: "shop.gone", By: "ada", Reason: "no"}})
	tests := []struct {
		name string
		now  Document
		want []string // blocked ids, there or not
	}{
		{"the same", called("shop", [2]string{"drop_table", "Drop Table"}), []string{"shop.drop_table", "shop.gone"}},
		{"renamed", called("shop-pro", [2]string{"drop_table", "Drop Table"}, [2]string{"gone", "gone"}), []string{"shop-pro.drop_table", "shop-pro.gone"}},
		{"renamed, and without the tool", called("shop-pro"), []string{"shop-pro.drop_table", "shop-pro.gone"}},
		{"another tool takes the id", called("shop", [2]string{"drop_table", "drop_table"}, [2]string{"drop_table_1a", "Drop Table"}),
			[]string{"shop.drop_table", "shop.drop_table_1a", "shop.gone"}},
		{"a name that begins alike", called("sho", [2]string{"drop_table", "Drop Table"}), []string{"sho.drop_table", "sho.gone"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := tt.now.WithBlocks(was.As(tt.now).PersonsBlocks())
			var got []string
			for _, b := range d.PersonsBlocks() {
				got = append(got, b.Operation)
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("blocked %q, want %q", got, tt.want)
			}
			moved := Document{Service: was.Service, Operations: was.Operations}.WithLapses([]Lapse{{Approval: Approval{Operation: "shop.left"}}}).As(tt.now)
			if want := tt.now.Service.ID + ".left"; len(moved.Lapsed) != 1 || moved.Lapsed[0].Approval.Operation != want {
				t.Errorf("lapses %v, want one of %s", moved.Lapsed, want)
			}
			again := d.As(was) // and back
			if b, _ := was.WithBlocks(again.PersonsBlocks()); b.Operations[0].Block == nil {
				t.Error("on the way back the block is lost")
			}
		})
	}
}

// TestApprovalsOfAnotherNameLapse: nobody approved anything of a server that says it is another one.
func TestApprovalsOfAnotherNameLapse(t *testing.T) {
	was := called("shop", [2]string{"list", "list"}, [2]string{"gone", "gone"})
	var given []Approval
	for _, o := range was.Operations {
		given = append(given, Approval{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
	}
	was, _ = was.WithApprovals(given, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	now := called("shop-pro", [2]string{"list", "list"})
	var rules []string
	for _, f := range now.TakenBack(was) {
		rules = append(rules, f.Rule+" "+f.Subject)
	}
	if want := []string{"approval-orphaned operation/shop-pro.gone", "approval-lapsed operation/shop-pro.list"}; !slices.Equal(rules, want) {
		t.Errorf("%q, want %q", rules, want)
	}
	if found := called("shop", [2]string{"list", "list"}).TakenBack(was); len(found) > 0 {
		t.Errorf("of the same server: %v", found)
	}
}
