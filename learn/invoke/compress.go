package invoke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"

	"anvil/compiler/canon"
	"anvil/learn"
)

// Compressor makes a text shorter, in a way that its reader can follow or undo.
type Compressor func(ctx context.Context, text string) (Compressed, error)

// Compressed is a shorter text.
type Compressed struct {
	Text    string
	Hash    string    // under which the original can be had, where it can
	Savings canon.Raw // percent, a JSON number; nil if nobody says
}

// Compression is middleware that hands the caller a compressed output where the output is a JSON string. Other outputs are passed over, and if the compressor
// fails the output stays as it is; the view of the call says which: {"skipped":true}, {"error":CODE}, or the hash and savingsPercent.
func Compression(c Compressor) Middleware {
	const name = "headroom"
	return Middleware{
		Name: name,
		After: func(ctx context.Context, inv *Invocation) error {
			text, isText := outputText(inv.Result.Output)
			if !isText {
				inv.Keep(name, canon.Raw(`{"skipped":true}`))
				return nil
			}
			var short Compressed
			err := guard("the compressor", func() (err error) {
				short, err = c(ctx, text)
				return err
			})
			if err != nil {
				inv.Keep(name, note("error", codeOrUnknown(err)))
				return nil
			}
			inv.Result.Output = canon.Quote(short.Text)
			inv.Keep(name, short.view())
			return nil
		},
		View: func(inv *Invocation) canon.Raw {
			view, _ := inv.Kept(name).(canon.Raw)
			return view
		},
	}
}

func codeOrUnknown(err error) string { return cmp.Or(CodeOf(err), learn.UnknownCode) }

// outputText is the text of an output that is a JSON string.
func outputText(output []byte) (string, bool) {
	if output == nil {
		return "", false
	}
	node, err := canon.Parse(output)
	if err != nil {
		return "", false
	}
	return node.Str()
}

func note(name, value string) canon.Raw {
	var b canon.Builder
	b.AddText(name, value)
	return canon.MustCanonical(b.Bytes())
}

func (c Compressed) view() canon.Raw {
	var b canon.Builder
	if c.Hash != "" {
		b.AddText("hash", c.Hash)
	}
	if c.Savings != nil {
		b.Add("savingsPercent", c.Savings)
	}
	return canon.MustCanonical(b.Bytes())
}

// Headroom compresses by the tool headroom_compress of an MCP server.
type Headroom struct {
	// Call calls a tool of that server with arguments, a JSON object, and returns the text of its answer.
	Call func(ctx context.Context, tool string, arguments []byte) (string, error)
}

// Compress asks the tool. Its answer is a JSON object with compressed, and hash, savings_percent or the counts original_tokens and compressed_tokens where it
// has them; one without a compressed text is an error.
func (h Headroom) Compress(ctx context.Context, text string) (Compressed, error) {
	var arguments canon.Builder
	arguments.AddText("content", text)
	answer, err := h.Call(ctx, "headroom_compress", canon.MustCanonical(arguments.Bytes()))
	if err != nil {
		return Compressed{}, fmt.Errorf("compress by headroom_compress: %w", err)
	}
	node, err := canon.Parse([]byte(answer))
	if err != nil {
		return Compressed{}, errors.New("headroom_compress answered what is no JSON")
	}
	short := Compressed{Text: node.Get("compressed").Text(), Hash: node.Get("hash").Text()}
	if short.Text == "" {
		return Compressed{}, errors.New("headroom_compress answered without a compressed text")
	}
	if given, ok := node.Get("savings_percent").Rat(); ok {
		short.Savings = percent(given)
	} else if before, ok := node.Get("original_tokens").Rat(); ok && before.Sign() > 0 {
		if after, ok := node.Get("compressed_tokens").Rat(); ok {
			saved := new(big.Rat).Sub(before, after)
			short.Savings = percent(saved.Mul(saved, big.NewRat(100, 1)).Quo(saved, before))
		}
	}
	return short, nil
}

// percent writes a number with at most two decimals.
func percent(r *big.Rat) canon.Raw { return canon.Raw(canon.MustCanonical([]byte(r.FloatString(2)))) }
