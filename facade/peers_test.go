package facade

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// runPeer is the life of this binary as a peer in a process of its own.
func runPeer(peer string) {
	switch peer {
	case "bench-upstream":
		benchUpstream()
	case "bench-direct":
		benchDirect()
	case "bench-raw":
		go tellCPU()
		benchRaw()
	case "bench-plain":
		go tellCPU()
		benchFacade(false)
	case "bench-facade":
		go tellCPU()
		benchFacade(true)
	case "bench-typed":
		go tellCPU()
		benchTyped()
	case "dying":
		bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Fprintln(os.Stderr, "password is hunter2")
		fmt.Fprintln(os.Stderr, "cannot open the ledger")
		os.Exit(7)
	case "deaf": // it reads nothing, and its parent's end is not told to it either
		for {
			time.Sleep(time.Hour)
		}
	case "sdk-server":
		_ = sdkServer().Run(context.Background(), &mcp.StdioTransport{}) // ends with its input
	default:
		fmt.Fprintln(os.Stderr, "unknown peer "+peer)
		os.Exit(2)
	}
}
