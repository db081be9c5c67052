package cli

import (
	"errors"
	"fmt"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack/commands"
	"anvil/internal/packcli"
)

// refusal is an error that has a code of the taxonomy.
type refusal struct {
	code air.ErrorCode
	error
}

func (r *refusal) Unwrap() error { return r.error }

// runError is what a program reads of a run of a pack's command line that came to nothing.
type runError struct {
	Code     air.ErrorCode `json:"code,omitzero"` // absent where the exit code says all
	Exit     int           `json:"exit"`
	Message  string        `json:"message"`
	Problems []string      `json:"problems,omitempty"` // each of several
	See      string        `json:"see,omitzero"`       // the command that explains it
}

// refused writes err as an object on stderr, the last line there, where the line asks for JSON. A refusal is no result, so stdout has none of it.
func (r *shell) refused(words []string, err error) error {
	if exitCode(err) == exitClean || !packcli.WantsJSON(words) {
		return err
	}
	var coded *exitError
	if errors.As(err, &coded) && coded.err == nil {
		return err // all of it is printed, and is a result
	}
	e := runError{Code: errorCodeOf(err), Exit: exitCode(err), Message: r.secret.mask(err.Error())}
	var wrong *packcli.UsageError
	if errors.As(err, &wrong) {
		e.Message, e.See = wrong.Problems[0], wrong.See
		if len(wrong.Problems) > 1 {
			e.Message, e.Problems = fmt.Sprintf("%d things are wrong", len(wrong.Problems)), wrong.Problems
		}
	}
	text, fault := canon.EncodeCompact(struct {
		SchemaVersion int      `json:"schemaVersion"`
		Error         runError `json:"error"`
	}{commands.SchemaVersion, e})
	if fault != nil {
		return errors.Join(err, fault)
	}
	fmt.Fprintf(r.err, "%s\n", diag.PrintableJSON(text))
	return &exitError{e.Exit, nil}
}

// errorCodeOf is the code of an error; "" where its exit code says all.
func errorCodeOf(err error) air.ErrorCode {
	var wrong *packcli.UsageError
	var told *refusal
	switch {
	case errors.As(err, &wrong):
		return wrong.Code
	case errors.As(err, &told):
		return told.code
	case exitCode(err) == exitAuth:
		return air.ErrUpstreamAuth
	case exitCode(err) == exitUnreachable:
		return air.ErrUpstreamError
	}
	return ""
}
