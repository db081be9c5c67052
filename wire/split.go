package wire

import (
	"bytes"
	"errors"
)

// ReadFrame tells what a frame is that Scan refuses, or that Scan finds no message in: several messages, in an array (NoiseBatch) or one
// after the other (NoiseJoined); or a reply that cannot be read and is lost, beyond doubt the answer to a request (NoiseTooDeep or
// NoiseBroken); or neither (NoiseTooDeep, NoiseMalformed, or NoiseBatch of an array without messages). What is no message in an array is
// left out. A text that follows a message makes the frame a line of a log, unless the message is a reply. There are never both messages and
// a lost reply. The envelopes alias frame.
func ReadFrame(frame []byte) (messages []Envelope, kind string, lost *ReplyLostError) {
	_, err := Scan(frame)
	if lost := lostReply(frame, err); lost != nil {
		return nil, lost.kind(), lost
	}
	if errors.Is(err, ErrBatch) {
		return splitBatch(frame), NoiseBatch, nil
	}
	if messages := splitJoined(frame); len(messages) > 0 {
		return messages, NoiseJoined, nil
	}
	if errors.Is(err, ErrDepth) {
		return nil, NoiseTooDeep, nil
	}
	return nil, NoiseMalformed, nil
}

// splitBatch returns the messages of a batch, leaving out what is none.
func splitBatch(batch []byte) []Envelope {
	var envelopes []Envelope
	spans, _ := Elements(batch)
	for _, s := range spans {
		if e, err := Scan(batch[s.Start:s.End:s.End]); err == nil && e.isMessage() {
			envelopes = append(envelopes, e)
		}
	}
	return envelopes
}

// splitJoined returns the messages that follow each other in a frame. All have to name their protocol.
func splitJoined(frame []byte) []Envelope {
	var envelopes []Envelope
	for rest := frame; ; {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(rest) == 0 {
			return envelopes
		}
		s := scanner{b: rest}
		if rest[0] != '{' || s.value() != nil {
			return repliesOf(envelopes)
		}
		e, err := Scan(rest[:s.i:s.i])
		if err != nil || !e.isMessage() || e.NoVersion {
			return repliesOf(envelopes)
		}
		envelopes = append(envelopes, e)
		rest = rest[s.i:]
	}
}

// repliesOf returns what may be believed of messages that something else follows: replies, since their ids were given here.
func repliesOf(envelopes []Envelope) []Envelope {
	var replies []Envelope
	for _, e := range envelopes {
		if e.IsResponse() && e.hasID() {
			replies = append(replies, e)
		}
	}
	return replies
}

// isCutInside reports whether a text that ends too early cannot go on on the next line: it ends within a string, a number or a word.
func isCutInside(line []byte) bool {
	_, err := Scan(append(bytes.Clone(line), '\n'))
	return !errors.Is(err, ErrTruncated)
}
