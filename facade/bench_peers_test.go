package facade

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/wire"
)

const benchTool = `{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}},"required":["n"]}}`

// tellCPU answers each byte on file 3 with the CPU time of this process on file 4.
func tellCPU() {
	ask, tell := os.NewFile(3, "ask"), os.NewFile(4, "tell")
	var b [1]byte
	for {
		if _, err := ask.Read(b[:]); err != nil {
			return
		}
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			panic(err)
		}
		var ns [8]byte
		binary.LittleEndian.PutUint64(ns[:], uint64(u.Utime.Nano()+u.Stime.Nano()))
		tell.Write(ns[:])
	}
}

// benchUpstream answers every call with the same bytes but for the id.
func benchUpstream() {
	size, _ := strconv.Atoi(os.Getenv("ANVIL_BENCH_REPLY"))
	text := strings.Repeat(`lorem \"ipsum\" dolor sit amet `, size/30)
	r, w := bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriterSize(os.Stdout, 256<<10)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		if e, err := wire.Scan(line); err == nil && e.IsRequest() {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,`, e.Bytes(e.ID))
			switch e.MethodName() {
			case methodCall:
				w.WriteString(`"result":{"content":[{"type":"text","text":"`)
				w.WriteString(text)
				w.WriteString(`"}]}}`)
			case methodInitialize:
				w.WriteString(`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}}}`)
			case methodList:
				w.WriteString(`"result":{"tools":[` + benchTool + `]}}`)
			default:
				w.WriteString(`"error":{"code":-32601,"message":"no"}}`)
			}
			w.WriteByte('\n')
		}
		if r.Buffered() == 0 {
			w.Flush()
		}
	}
}

// benchServer is the command of the server behind the gateway: the one that the environment names, or else this binary.
func benchServer() wire.Command {
	if text := os.Getenv("ANVIL_BENCH_SERVER"); text != "" {
		return wire.Command{Args: strings.Split(text, "\n")}
	}
	command := peerCommand("bench-upstream")
	command.Env = append(command.Env, "ANVIL_BENCH_REPLY="+os.Getenv("ANVIL_BENCH_REPLY"))
	return command
}

func benchUpstreamCommand() *exec.Cmd {
	command := benchServer()
	cmd := exec.Command(command.Args[0], command.Args[1:]...)
	cmd.Env = command.Env
	return cmd
}

// benchDirect is the server itself, without anything in between.
func benchDirect() {
	if os.Getenv("ANVIL_BENCH_SERVER") == "" {
		benchUpstream()
		return
	}
	command := benchServer()
	path, err := exec.LookPath(command.Args[0])
	if err == nil {
		err = syscall.Exec(path, command.Args, os.Environ())
	}
	panic(err)
}

// benchRaw forwards bytes and replaces ids.
func benchRaw() {
	cmd := benchUpstreamCommand()
	up, _ := cmd.StdinPipe()
	down, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	var mu sync.Mutex
	ids, last := map[uint64]string{}, uint64(0)
	go forwardRaw(os.Stdin, up, func(e wire.Envelope, dst []byte) []byte {
		if !e.IsRequest() {
			return append(dst, e.Raw...)
		}
		mu.Lock()
		last++
		id := last
		ids[id] = string(e.Bytes(e.ID))
		mu.Unlock()
		return e.WithID(dst, strconv.AppendUint(nil, id, 10))
	}, up)
	forwardRaw(down, os.Stdout, func(e wire.Envelope, dst []byte) []byte {
		id, _ := strconv.ParseUint(string(e.Bytes(e.ID)), 10, 64)
		mu.Lock()
		client := ids[id]
		delete(ids, id)
		mu.Unlock()
		return e.WithID(dst, []byte(client))
	}, nil)
	cmd.Wait()
}

func forwardRaw(from io.Reader, to io.Writer, splice func(wire.Envelope, []byte) []byte, end io.Closer) {
	r, w := bufio.NewReaderSize(from, 256<<10), bufio.NewWriterSize(to, 64<<10)
	var buf []byte
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			if end != nil {
				end.Close()
			}
			return
		}
		if e, err := wire.Scan(line); err == nil {
			buf = splice(e, buf[:0])
			w.Write(buf)
		}
		if r.Buffered() == 0 {
			w.Flush()
		}
	}
}

// benchTyped is what the SDK offers for a gateway: its server in front, its client behind.
func benchTyped() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "gateway", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: benchUpstreamCommand()}, nil)
	if err != nil {
		panic(err)
	}
	defer session.Close()
	server := mcp.NewServer(&mcp.Implementation{Name: "gateway", Version: "1"}, nil)
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			panic(err)
		}
		server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	_ = server.Run(ctx, &mcp.StdioTransport{}) // ends with its input
}
