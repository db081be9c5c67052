package cli

import (
	"flag"
	"testing"

	cli "github.com/urfave/cli/v2"
)

// TestApprovalsWords: the command that a hint tells says where the state is, from any folder, and never a password.
func TestApprovalsWords(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"neither: the configuration that is found says", nil, "anvil mcp approvals"},
		{"a folder", []string{"--state", "/var/kept here"}, "anvil mcp approvals --state '/var/kept here'"},
		{"a configuration that is named", []string{"--config", "/etc/anvil.yaml"}, "anvil mcp approvals --config /etc/anvil.yaml"},
		{"both", []string{"--config", "/etc/anvil.yaml", "--state", "/kept"}, "anvil mcp approvals --state /kept"},
		{"a database", []string{"--state", "postgres://ann:s3cret@127.0.0.1:5432/desk"}, "anvil mcp approvals --state postgres://ann@127.0.0.1:5432/desk"},
		{"a database whose password is a parameter", []string{"--state", "postgresql://ann@127.0.0.1/desk?password=s3cret"}, "anvil mcp approvals --state postgresql://ann@127.0.0.1/desk"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := flag.NewFlagSet("serve", flag.ContinueOnError)
			set.String("state", "", "")
			set.String("config", "", "")
			if err := set.Parse(tt.args); err != nil {
				t.Fatal(err)
			}
			got, err := (&shell{}).approvalsWords(cli.NewContext(nil, set, nil))
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}
