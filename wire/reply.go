package wire

import "strconv"

// appendReply appends the reply to the request with the given raw id. A nil result stands for {}. An error that came
// from a peer is passed on as it arrived.
func appendReply(dst, id, result []byte, rpcErr *RPCError) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	switch {
	case rpcErr == nil && result == nil:
		dst = append(dst, `,"result":{}`...)
	case rpcErr == nil:
		dst = append(append(dst, `,"result":`...), result...)
	case rpcErr.Raw != nil:
		dst = append(append(dst, `,"error":`...), rpcErr.Raw...)
	default:
		dst = strconv.AppendInt(append(dst, `,"error":{"code":`...), rpcErr.Code, 10)
		dst = append(appendQuoted(append(dst, `,"message":`...), rpcErr.Message), '}')
	}
	return append(dst, '}')
}
