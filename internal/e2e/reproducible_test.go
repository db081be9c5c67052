package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"anvil/wire"
)

// TestPackIsReproducible builds one pack with the real binary in two folders, on two machines that differ in locale, time zone and processors, from a server
// that lists everything in another order each: the same bytes, and the same archive.
func TestPackIsReproducible(t *testing.T) {
	t.Parallel()
	server, err := refunds()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, plainAnvil)
	w.must(0, "mcp", "snapshot", "--name", "v2", "--dir", "snapshots", "--", server, "-surface", "v2")
	orders := map[string]bool{}
	for i, m := range machines {
		seed := strconv.Itoa(i + 1)
		w.configure(map[string]entry{"refunds": {
			Command: os.Args[0], Args: []string{"shuffle", "--", server}, Env: map[string]string{floorVariable: seed, markVariable: w.dir},
		}})
		w.demand(0, w.run(w.env(m.env...), "mcp", "adopt", "refunds", "--base", "snapshots/v2.snapshot.json", "--out", filepath.Join(m.name, "pack")))
		orders[string(shuffled(rand.New(rand.NewPCG(uint64(i+1), uint64(i+1))), []byte(`{"result":{"tools":[1,2,3,4,5,6,7,8,9,10]}}`)))] = true
	}
	if len(orders) != len(machines) {
		t.Fatalf("the servers list ten tools in %d orders, want %d", len(orders), len(machines))
	}
	w.equalFolders(machines[0].name, machines[1].name)

	// The approvals hold when they were given; from there on all follows.
	w.must(0, "mcp", "approve", filepath.Join(machines[0].name, "pack"), "list_refunds", "get_refund", "create_refund", "--by", "ada")
	for _, m := range machines {
		for name, text := range w.files(filepath.Join(machines[0].name, "pack")) {
			w.write(filepath.Join(m.name, "approved", filepath.FromSlash(name)), text)
		}
		w.demand(0, w.run(w.env(m.env...), "pack", "verify", filepath.Join(m.name, "approved"))) // which builds every file again
		w.demand(0, w.run(w.env(m.env...), "pack", "archive", filepath.Join(m.name, "approved"), m.name+".tar"))
		w.demand(0, w.run(w.env(m.env...), "pack", "open", m.name+".tar", filepath.Join(m.name, "opened")))
	}
	if !bytes.Equal(w.read(machines[0].name+".tar"), w.read(machines[1].name+".tar")) {
		t.Error("the archives differ")
	}
	w.equalFolders(filepath.Join(machines[0].name, "opened"), filepath.Join(machines[1].name, "approved"))
}

// shuffle runs a server and puts every list it answers with in an order of the seed's.
func shuffle(seed string, command []string) error {
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(n, n))
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stderr = wire.BaseEnv(nil), os.Stdin, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			_, _ = os.Stdout.Write(append(shuffled(random, bytes.TrimSpace(line)), '\n'))
		}
		if err == io.EOF {
			return cmd.Wait()
		}
		if err != nil {
			return err
		}
	}
}

func shuffled(random *rand.Rand, line []byte) []byte {
	var reply map[string]json.RawMessage
	var result map[string]json.RawMessage
	if json.Unmarshal(line, &reply) != nil || json.Unmarshal(reply["result"], &result) != nil {
		return line
	}
	for _, name := range []string{"tools", "resources", "resourceTemplates", "prompts"} {
		var list []json.RawMessage
		if json.Unmarshal(result[name], &list) == nil && len(list) > 0 {
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			result[name], _ = json.Marshal(list)
		}
	}
	reply["result"], _ = json.Marshal(result)
	text, err := json.Marshal(reply)
	if err != nil {
		return line
	}
	return text
}
