package conformance

import (
	"context"
	"errors"
	"fmt"

	"anvil/compiler/canon"
	"anvil/wire"
)

// maxRounds bounds how often a server asks for more before it completes a call.
const maxRounds = 10

var errDeclined = &wire.RPCError{Code: -1, Message: "declined by the user"}

// answer answers a request of the server's: it shows no roots, fills in forms with their defaults and declines to sample.
func answer(_ context.Context, e wire.Envelope) ([]byte, *wire.RPCError) {
	return answerTo(e.MethodName(), e.Bytes(e.Params))
}

func answerTo(method string, params []byte) ([]byte, *wire.RPCError) {
	switch method {
	case "ping":
		return []byte("{}"), nil
	case "roots/list":
		return []byte(`{"roots":[]}`), nil
	case "sampling/createMessage":
		return nil, errDeclined
	case "elicitation/create":
		p, err := canon.Parse(params)
		if err != nil {
			return nil, &wire.RPCError{Code: -32602, Message: "no params"}
		}
		return elicit(p.Get("requestedSchema")), nil
	}
	return nil, &wire.RPCError{Code: -32601, Message: "method not found"}
}

// elicit is the answer of a user who leaves a form as it is: accepted with the defaults (SEP-1034), or declined where a field that has none
// is required.
func elicit(schema *canon.Node) []byte {
	content := canon.Builder{}
	filled := map[string]bool{}
	if properties := schema.Get("properties"); properties.IsObject() {
		for _, m := range properties.Members {
			if value := m.Value.Get("default"); value != nil {
				content.Add(m.Name, value.Raw)
				filled[m.Name] = true
			}
		}
	}
	for _, name := range schema.Get("required").Elements() {
		if !filled[name.Text()] {
			return []byte(`{"action":"decline"}`)
		}
	}
	result := canon.Builder{}
	result.AddText("action", "accept")
	result.Add("content", content.Bytes())
	return result.Bytes()
}

// complete sends a request again, with what the server wants to know, as long as its result says that input is required (SEP-2322). A
// result that says nothing is complete. The state of the server's goes back as it came, and is left out where none came.
func (c *client) complete(ctx context.Context, method string, params []byte) (*canon.Node, error) {
	first := mustParse(params)
	for range maxRounds {
		result, err := c.request(ctx, method, params)
		if err != nil || result.Get("resultType").Text() != "input_required" {
			return result, err
		}
		responses, err := respond(result.Get("inputRequests"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		next := canon.Builder{}
		for _, m := range first.Members {
			next.AddMember(m, m.Value.Raw)
		}
		next.Add("inputResponses", responses)
		if state := result.Get("requestState"); state != nil {
			next.Add("requestState", state.Raw)
		}
		params = next.Bytes()
	}
	return nil, fmt.Errorf("%s: input is still required after %d rounds", method, maxRounds)
}

// respond answers the requests in a result, each under its own name.
func respond(requests *canon.Node) ([]byte, error) {
	if !requests.IsObject() {
		return nil, nil
	}
	responses := canon.Builder{}
	for _, m := range requests.Members {
		params := m.Value.Get("params")
		if params == nil {
			params = mustParse([]byte("{}"))
		}
		result, rpcErr := answerTo(m.Value.Get("method").Text(), params.Raw)
		if rpcErr != nil {
			return nil, errors.Join(fmt.Errorf("input %q", m.Name), rpcErr)
		}
		responses.AddMember(m, result)
	}
	return responses.Bytes(), nil
}

// mustParse parses what this package wrote.
func mustParse(text []byte) *canon.Node {
	node, err := canon.Parse(text)
	if err != nil {
		panic(err)
	}
	return node
}
