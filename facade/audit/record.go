package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
	"unicode/utf8"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn"
)

// Format names the format of the files; it stands in each record of kind open.
const Format = "anvil-audit/1"

// The kinds of records.
const (
	kindOpen   = "open"   // the log was opened, or a file was begun
	kindPack   = "pack"   // another pack or policy is in force
	kindCall   = "call"   // a call came to its end
	kindTorn   = "torn"   // what a process that ended in the middle of a record left behind
	kindRotate = "rotate" // the file is full, and the next one goes on
	kindClose  = "close"  // the log was closed
)

// Bounds of what a peer's text takes in a record, in bytes.
const (
	maxName    = 128
	maxPayload = 4096
)

// noHash stands where no record comes before.
const noHash = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// Record is a line of a log, as it is read. What does not apply is absent.
type Record struct {
	Seq  uint64 `json:"seq"`  // from 1, over all files
	Time string `json:"time"` // RFC 3339, UTC: when a call came, and for other records when they were written
	Kind string `json:"kind"`

	Session       string    `json:"session,omitzero"` // the facade's own id of it
	Caller        string    `json:"caller,omitzero"`  // whom the front authenticated
	Tool          string    `json:"tool,omitzero"`
	Operation     string    `json:"operation,omitzero"`
	Contract      string    `json:"contract,omitzero"`  // digest of the approved one
	Arguments     string    `json:"arguments,omitzero"` // SHA-256 of their bytes as they were sent
	Decision      string    `json:"decision,omitzero"`  // allowed or refused
	Code          string    `json:"code,omitzero"`      // of a refusal, out of the taxonomy
	Rule          string    `json:"rule,omitzero"`      // of the policy that decided
	Approval      *Approval `json:"approval,omitzero"`
	Outcome       string    `json:"outcome,omitzero"` // succeeded, failed, cancelled or refused
	Error         string    `json:"error,omitzero"`   // of what failed: data.code, isError or jsonrpc:CODE
	Attempts      int       `json:"attempts,omitzero"`
	DurationNs    int64     `json:"durationNs,omitzero"`
	RequestBytes  int64     `json:"requestBytes,omitzero"`  // of the whole message
	ResponseBytes int64     `json:"responseBytes,omitzero"` // of the whole message
	ArgumentsText string    `json:"argumentsText,omitzero"` // without credentials; only where payloads are asked for
	ResultText    string    `json:"resultText,omitzero"`

	Format       string `json:"format,omitzero"`
	Anvil        string `json:"anvil,omitzero"` // the version that writes
	Pack         string `json:"pack,omitzero"`
	PackDigest   string `json:"packDigest,omitzero"`
	PolicyDigest string `json:"policyDigest,omitzero"`
	File         int    `json:"file,omitzero"`   // number of the file, from 1
	Bytes        int64  `json:"bytes,omitzero"`  // of what was torn
	Digest       string `json:"digest,omitzero"` // of what was torn

	Prev string `json:"prev"` // hash of the record before it
	Hash string `json:"hash"` // SHA-256 of the line up to this member
}

// Approval is who said yes to a call.
type Approval struct {
	By    string `json:"by,omitzero"`
	Token string `json:"token,omitzero"` // id of the token that was redeemed, not the token
}

// Entry is one call, as it is handed over. Get one from [Log.Entry] and give it back with [Log.Put].
type Entry struct {
	Time      time.Time // when the call came
	Session   string
	Caller    string
	Tool      string
	Made      bool // the name of the tool is the client's and no approved one's
	Operation string
	Contract  string
	Digest    [sha256.Size]byte // of the arguments
	Arguments bool              // there were some
	Code      string            // of a refusal; "" for a call that was allowed
	Rule      string
	By, Token string
	Outcome   string
	Error     string
	Attempts  int
	Duration  time.Duration // less than zero: it was not timed
	Request   int64         // bytes
	Response  int64         // bytes; less than zero: none came

	payload []byte // arguments and result, where they are kept
	split   int
}

// Keep has the texts of arguments and result recorded, cut and without credentials. Only a log with Options.Payloads takes them.
func (e *Entry) Keep(arguments, result []byte) {
	e.payload = append(append(e.payload[:0], head(arguments)...), head(result)...)
	e.split = len(head(arguments))
}

// head is as much of a text as is kept, and a byte that shows that it was longer.
func head(text []byte) []byte { return text[:min(len(text), maxPayload+1)] }

// line writes records, one after the other, each with the hash of the one before it.
type line struct {
	buf  []byte
	seq  uint64
	hash [sha256.Size]byte // of the record written last
	from int               // where in buf the present record begins
}

const hexPrefix = "sha256:"

func appendHash(dst []byte, sum *[sha256.Size]byte) []byte {
	return hex.AppendEncode(append(dst, hexPrefix...), sum[:])
}

func (l *line) begin(kind string, at time.Time) {
	l.seq++
	l.from = len(l.buf)
	l.buf = strconv.AppendUint(append(l.buf, `{"seq":`...), l.seq, 10)
	l.buf = at.UTC().AppendFormat(append(l.buf, `,"time":"`...), time.RFC3339Nano)
	l.buf = append(append(append(l.buf, `","kind":"`...), kind...), '"')
}

// text adds a member whose value is a string; "" adds none.
func (l *line) text(name, value string) {
	if value == "" {
		return
	}
	l.name(name)
	l.buf = appendText(l.buf, value)
}

func (l *line) number(name string, n int64) {
	if n > 0 {
		l.name(name)
		l.buf = strconv.AppendInt(l.buf, n, 10)
	}
}

func (l *line) name(name string) { l.buf = append(append(append(l.buf, `,"`...), name...), `":`...) }

func (l *line) end() {
	l.buf = appendHash(append(l.buf, `,"prev":"`...), &l.hash)
	l.buf = append(l.buf, '"')
	l.hash = sha256.Sum256(l.buf[l.from:])
	l.buf = append(appendHash(append(l.buf, `,"hash":"`...), &l.hash), "\"}\n"...)
}

// appendText spells a text that may hold anything so that it steers no terminal.
func appendText(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return canon.AppendQuote(dst, diag.Printable(text))
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}

// call writes a call.
func (l *line) call(e *Entry) {
	l.begin(kindCall, e.Time)
	l.text("session", e.Session)
	l.text("caller", cut(e.Caller))
	l.text("tool", toolName(e))
	l.text("operation", e.Operation)
	l.text("contract", e.Contract)
	if e.Arguments {
		l.name("arguments")
		l.buf = append(appendHash(append(l.buf, '"'), &e.Digest), '"')
	}
	decision := "allowed"
	if e.Code != "" || e.Outcome == string(learn.Refused) {
		decision = "refused"
	}
	l.text("decision", decision)
	l.text("code", e.Code)
	l.text("rule", cut(e.Rule))
	l.approval(e)
	l.text("outcome", e.Outcome)
	l.text("error", cut(e.Error))
	l.number("attempts", int64(e.Attempts))
	l.number("durationNs", int64(e.Duration))
	l.number("requestBytes", e.Request)
	l.number("responseBytes", e.Response)
	if len(e.payload) > 0 {
		l.text("argumentsText", learn.Redacted(string(e.payload[:e.split])))
		l.text("resultText", learn.Redacted(string(e.payload[e.split:])))
	}
	l.end()
}

func (l *line) approval(e *Entry) {
	if e.By == "" && e.Token == "" {
		return
	}
	l.name("approval")
	l.buf = append(l.buf, '{')
	if e.By != "" {
		l.buf = appendText(append(l.buf, `"by":`...), cut(e.By))
	}
	if e.Token != "" {
		if e.By != "" {
			l.buf = append(l.buf, ',')
		}
		l.buf = appendText(append(l.buf, `"token":`...), cut(e.Token))
	}
	l.buf = append(l.buf, '}')
}

// toolName is the tool's name as it is kept: one that a client made up may hold anything, a credential too.
func toolName(e *Entry) string {
	if e.Made {
		return learn.Redacted(cut(e.Tool))
	}
	return e.Tool
}

func cut(text string) string {
	if len(text) <= maxName {
		return text
	}
	end := maxName
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}
