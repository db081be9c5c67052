package probe

import (
	"fmt"
	"maps"
	"slices"

	"anvil/compiler/diag"
	"anvil/wire"
)

// Kinds of noise that a link knows of, beside those of package wire. A link to a process is asked for them when it is closed, and its output
// read to the end.
const (
	noiseStdout = "stdout"
	noiseBOM    = "byte-order-mark"
)

// noisy is a link that skips what is no message.
type noisy interface {
	NoiseCount() int
	BOM() bool
}

// bounded is a link that skips oversized messages.
type bounded interface {
	Oversized() []wire.FrameTooLargeError
}

// noises says what each kind of noise is to a reader.
var noises = map[string]struct {
	rule    diag.Rule
	message string
}{
	noiseBOM:                  {byteOrderMark, "stdout begins with a byte order mark"},
	noiseStdout:               {stdoutNoise, "stdout holds lines that are no messages"},
	wire.NoiseAmbiguous:       {ambiguousMessage, "a message holds a result and an error, or a method beside them"},
	wire.NoiseBatch:           {batchReply, "messages come as an array"},
	wire.NoiseBroken:          {brokenReply, "the reply to a request is no JSON"},
	wire.NoiseDuplicateMember: {duplicateEnvelopeMember, "a member of a message is given twice, and the last was read"},
	wire.NoiseDuplicateReply:  {duplicateReply, "a request is answered again after its reply"},
	wire.NoiseJoined:          {joinedMessages, "a message is followed by something on its line"},
	wire.NoiseLooseID:         {looselyTypedID, "a reply spells the id of its request otherwise than it was sent"},
	wire.NoiseMalformed:       {malformedMessage, "something is sent that is no message"},
	wire.NoiseNoVersion:       {missingJSONRPC, `a message lacks "jsonrpc": "2.0"`},
	wire.NoiseNullID:          {nullIDError, "a reply names no request"},
	wire.NoiseRequestFlood:    {requestFlood, "more requests are sent than are kept waiting, and the rest was dropped"},
	wire.NoiseTooDeep:         {tooDeepMessage, fmt.Sprintf("a message nests deeper than %d levels and was dropped", wire.MaxDepth)},
	wire.NoiseOversized:       {oversizedMessage, "a message is larger than the limit and was skipped"},
	wire.NoiseUnknownID:       {unknownReplyID, "a reply answers no request"},
}

// noiseFindings makes one finding of each kind of noise. How often it was heard is for the reader alone: it varies from run to run.
func noiseFindings(heard map[string]int, oversized []Oversized) []diag.Finding {
	var findings []diag.Finding
	for _, kind := range slices.Sorted(maps.Keys(heard)) {
		noise, known := noises[kind]
		if !known {
			noise.rule, noise.message = malformedMessage, "something is wrong with a message: "+kind
		}
		f := noise.rule.Finding("server", noise.message+" ("+times(heard[kind])+")")
		if kind == wire.NoiseOversized && len(oversized) > 0 {
			f.Message, f.Hint = oversizedMessageText(oversized), oversizedHint(oversized)
		}
		findings = append(findings, f.Sealed(kind))
	}
	return findings
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// listen adds what the links heard. Of oversized messages a link knows all, the client those that were replies.
func (s *visit) listen() {
	lines := 0
	for _, link := range s.links {
		if l, ok := link.(bounded); ok {
			s.evidence.oversized(l.Oversized())
		}
		if l, ok := link.(noisy); ok {
			lines += l.NoiseCount()
			if l.BOM() {
				s.evidence.Noise[noiseBOM]++
			}
		}
	}
	if lines > 0 {
		s.evidence.Noise[noiseStdout] = lines
	}
	if n := len(s.evidence.Oversized); n > 0 {
		s.evidence.Noise[wire.NoiseOversized] = n
	}
	// The reply to a call that was made twice is one too many on this side's account.
	if left := s.evidence.Noise[wire.NoiseDuplicateReply] - s.repeated; left > 0 {
		s.evidence.Noise[wire.NoiseDuplicateReply] = left
	} else {
		delete(s.evidence.Noise, wire.NoiseDuplicateReply)
	}
}

// openingFindings tells what was odd about opening the session.
func (s *visit) openingFindings() []diag.Finding {
	if s.session == nil {
		return nil
	}
	var findings []diag.Finding
	if len(s.links) > 1 {
		findings = append(findings, diesOnUnknownMethod.Finding("server",
			"the server ends when it is sent server/discover before initialize, and was started again").Sealed())
	}
	switch how := s.discoverOutcomes(); {
	case slices.Contains(how, wire.OutcomeDropped):
		findings = append(findings, ignoresUnknownMethod.Finding("server", "server/discover had no answer when initialize had its").Sealed())
	case slices.Contains(how, wire.OutcomeLate) && slices.ContainsFunc(how, isRefusal):
		findings = append(findings, slowToRefuseDiscover.Finding("server", "the server takes long to refuse server/discover, or to start").Sealed())
	}
	if v := s.session.Version(); !slices.Contains(wire.HandshakeVersions, v) && !slices.Contains(wire.StatelessVersions, v) {
		f := unknownProtocolVersion.Finding("server", fmt.Sprintf("the server speaks protocol version %q, which is not known here", v))
		f.Pointer = "/protocolVersion"
		findings = append(findings, f.Sealed(v))
	}
	return findings
}

func isRefusal(outcome string) bool {
	return outcome == wire.OutcomeRefused || outcome == wire.OutcomeNoVersion
}

// discoverOutcomes lists how server/discover ended, in order.
func (s *visit) discoverOutcomes() []string {
	var outcomes []string
	for _, a := range s.session.Attempts() {
		if a.Era == wire.EraStateless {
			outcomes = append(outcomes, a.Outcome)
		}
	}
	return outcomes
}
