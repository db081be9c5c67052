package wire

import (
	"context"
	"strings"
	"testing"
)

const benchCall = `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"search_documents","arguments":{"query":"quarterly report","limit":10,"offset":0,"tags":["finance","2025"]}}}`

func benchResult() []byte {
	const item = `{"type":"text","text":"The quick brown fox jumps over the lazy dog, \"again\" and again.","n":12.5},`
	body := strings.Repeat(item, 64<<10/len(item))
	return []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[` + strings.TrimSuffix(body, ",") + `]}}`)
}

func BenchmarkScan(b *testing.B) {
	for name, frame := range map[string][]byte{"call": []byte(benchCall), "result64K": benchResult()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Scan(frame); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkClientCall(b *testing.B) {
	near, far := Pipe()
	go echoPeer(far)
	c := NewClient(near, ClientOptions{})
	defer c.Close()
	benchmarkCalls(b, c)
}

func benchmarkCalls(b *testing.B, c *Client) {
	params := []byte(`{"name":"search","arguments":{"query":"quarterly report","limit":10}}`)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Call(context.Background(), "tools/call", params); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
