package sqlstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"anvil/learn"
)

// samplesFormat is the first byte of encoded samples.
const samplesFormat = 1

// appendSamples encodes samples: the format, then each one's moment, id, failure, duration, cost and currency. None take no byte.
func appendSamples(b []byte, samples []learn.Sample) []byte {
	if len(samples) == 0 {
		return []byte{}
	}
	b = append(b, samplesFormat)
	for _, s := range samples {
		b = binary.AppendVarint(b, s.At.UnixMicro())
		b = append(binary.AppendUvarint(b, uint64(len(s.ID))), s.ID...)
		failed := byte(0)
		if s.Failed {
			failed = 1
		}
		b = binary.AppendVarint(binary.AppendVarint(append(b, failed), s.Duration), s.Cost.Micros)
		b = append(append(b, byte(len(s.Cost.Currency))), s.Cost.Currency...)
	}
	return b
}

var errSamples = errors.New("it is no list of samples")

// readSamples reads what appendSamples wrote, at most most of them.
func readSamples(b []byte, most int) (samples []learn.Sample, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	if b[0] != samplesFormat {
		return nil, fmt.Errorf("%w: it does not begin with format %d", errSamples, samplesFormat)
	}
	r := samplesReader{b: b[1:]}
	for len(r.b) > 0 && !r.bad {
		s := learn.Sample{At: time.UnixMicro(r.varint()).UTC(), ID: r.text(r.uvarint())}
		s.Failed = r.byte() == 1
		s.Duration, s.Cost.Micros = r.varint(), r.varint()
		s.Cost.Currency = r.text(uint64(r.byte()))
		if samples = append(samples, s); len(samples) > most {
			r.bad = true
		}
	}
	if r.bad {
		return nil, errSamples
	}
	return samples, nil
}

type samplesReader struct {
	b   []byte
	bad bool
}

func (r *samplesReader) took(n int) {
	if r.bad = r.bad || n <= 0; r.bad {
		n = len(r.b)
	}
	r.b = r.b[n:]
}

func (r *samplesReader) varint() int64 {
	v, n := binary.Varint(r.b)
	r.took(n)
	return v
}

func (r *samplesReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	r.took(n)
	return v
}

func (r *samplesReader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *samplesReader) text(length uint64) string {
	if length > uint64(len(r.b)) {
		r.bad = true
		return ""
	}
	s := string(r.b[:length])
	r.b = r.b[length:]
	return s
}
