// Package telemetry tells of calls by OpenTelemetry's conventions: traces and metrics to a collector, where the environment names one, and metrics and health
// to whoever asks a listener of their own.
//
// It stands at the end of the serving flow, beside the audit log: the facade hands over each [Call] once it has ended, with the times it took. A facade without
// telemetry does not call it. What a label can be is known beforehand: the tools that were registered, the codes of the taxonomy, and "other" for the rest;
// nothing that a client made up becomes one.
//
// The package must not hold payloads, change frames or keep a call waiting: what cannot be exported is dropped, and the operator is told.
package telemetry
