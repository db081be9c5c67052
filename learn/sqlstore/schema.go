package sqlstore

// A migration brings the schema from one version to the next. What one says is never changed once it is released: its checksum is kept in the database.
type migration struct {
	name   string
	schema string
}

// migrations in order; the version of one is its place, from 1. Moments are microseconds since 1970, money is millionths of a unit, and what was not measured
// is -1 or empty: there are no NULLs.
//
// An event names its parent, which may come later, be forgotten or never come, and its tool without a constraint: a check of each row costs PostgreSQL more than
// the row. Tools are only moved and forgotten together with their events.
var migrations = []migration{
	{"events and cells", `
CREATE TABLE tool (
	id {int} PRIMARY KEY NOT NULL, server {text} NOT NULL, name {text} NOT NULL, contract {text} NOT NULL,
	updated {int} NOT NULL, -- end of the latest event; 0: there is none
	UNIQUE (name, server, contract));
CREATE TABLE annotation (
	server {text} NOT NULL, name {text} NOT NULL,
	risk {text} NOT NULL, owner {text} NOT NULL, tags {text} NOT NULL, description {text} NOT NULL, budget {int} NOT NULL, currency {text} NOT NULL,
	PRIMARY KEY (name, server));
CREATE TABLE event (
	id {text} PRIMARY KEY NOT NULL, tool {int} NOT NULL, at {int} NOT NULL, session {text} NOT NULL, workflow {text} NOT NULL, parent {text} NOT NULL,
	client {text} NOT NULL, duration {int} NOT NULL, outcome {text} NOT NULL, code {text} NOT NULL, attempts {int} NOT NULL, model {text} NOT NULL,
	decoding {text} NOT NULL, resolver {text} NOT NULL, tokens_in {int} NOT NULL, tokens_out {int} NOT NULL, cost {int} NOT NULL, currency {text} NOT NULL,
	asked {text} NOT NULL, input_bytes {int} NOT NULL, input_digest {text} NOT NULL, input_shape {text} NOT NULL, input_text {text} NOT NULL,
	output_bytes {int} NOT NULL, output_digest {text} NOT NULL, output_shape {text} NOT NULL, output_text {text} NOT NULL);
CREATE INDEX event_at ON event (at);
CREATE INDEX event_session ON event (session) WHERE session <> '';
CREATE INDEX event_workflow ON event (workflow) WHERE workflow <> '';
CREATE TABLE cell (
	id {int} PRIMARY KEY NOT NULL, tool {int} NOT NULL REFERENCES tool ON DELETE CASCADE, win {text} NOT NULL,
	client {text} NOT NULL, decoding {text} NOT NULL, resolver {text} NOT NULL, model {text} NOT NULL,
	invocations {int} NOT NULL, failures {int} NOT NULL, cancelled {int} NOT NULL, refused {int} NOT NULL, attempts {int} NOT NULL,
	timed {int} NOT NULL, duration_sum {int} NOT NULL, metered {int} NOT NULL, input_sum {int} NOT NULL, output_sum {int} NOT NULL,
	sized {int} NOT NULL, bytes {int} NOT NULL, asked {int} NOT NULL, declined {int} NOT NULL,
	first {int} NOT NULL, last {int} NOT NULL, duration {blob} NOT NULL, size {blob} NOT NULL, recent {blob} NOT NULL, earliest {blob} NOT NULL,
	UNIQUE (tool, win, client, decoding, resolver, model));
CREATE TABLE cell_code (
	cell {int} NOT NULL REFERENCES cell ON DELETE CASCADE, code {text} NOT NULL, n {int} NOT NULL, PRIMARY KEY (cell, code));
CREATE TABLE cell_refusal (
	cell {int} NOT NULL REFERENCES cell ON DELETE CASCADE, code {text} NOT NULL, n {int} NOT NULL, PRIMARY KEY (cell, code));
CREATE TABLE cell_cost (
	cell {int} NOT NULL REFERENCES cell ON DELETE CASCADE, currency {text} NOT NULL, calls {int} NOT NULL, micros {int} NOT NULL, PRIMARY KEY (cell, currency));
CREATE TABLE dimension ( -- the names that a tool tells apart
	tool {int} NOT NULL REFERENCES tool ON DELETE CASCADE, kind {int} NOT NULL, name {text} NOT NULL, PRIMARY KEY (tool, kind, name))`},
	{"conclusions", `
CREATE TABLE insight (
	tool {int} NOT NULL REFERENCES tool ON DELETE CASCADE, key {text} NOT NULL, value {text} NOT NULL, confidence {int} NOT NULL, source {text} NOT NULL,
	n {int} NOT NULL, low {real} NOT NULL, high {real} NOT NULL, win {text} NOT NULL, observed {int} NOT NULL, expires {int} NOT NULL, PRIMARY KEY (tool, key));
CREATE TABLE recommendation (
	tool {int} NOT NULL REFERENCES tool ON DELETE CASCADE, place {int} NOT NULL, type {text} NOT NULL, payload {text} NOT NULL, rationale {text} NOT NULL,
	confidence {int} NOT NULL, PRIMARY KEY (tool, place));
CREATE TABLE baseline (
	tool {int} NOT NULL REFERENCES tool ON DELETE CASCADE, measure {text} NOT NULL, n {int} NOT NULL, mean {real} NOT NULL, squares {real} NOT NULL,
	until {int} NOT NULL, PRIMARY KEY (tool, measure));
CREATE TABLE workflow_insight (
	workflow {text} NOT NULL, key {text} NOT NULL, value {text} NOT NULL, confidence {int} NOT NULL, source {text} NOT NULL,
	n {int} NOT NULL, low {real} NOT NULL, high {real} NOT NULL, win {text} NOT NULL, observed {int} NOT NULL, expires {int} NOT NULL, PRIMARY KEY (workflow, key));
CREATE TABLE change (
	id {int} PRIMARY KEY NOT NULL, tool {int} NOT NULL REFERENCES tool ON DELETE CASCADE, at {int} NOT NULL, key {text} NOT NULL,
	was {text} NOT NULL, now {text} NOT NULL, samples {int} NOT NULL);
CREATE INDEX change_at ON change (at);
CREATE INDEX change_tool ON change (tool)`},
	{"imports", `
CREATE TABLE import ( -- which sums of which source were taken
	source {text} NOT NULL, server {text} NOT NULL, name {text} NOT NULL, contract {text} NOT NULL, PRIMARY KEY (source, server, name, contract))`},
}
