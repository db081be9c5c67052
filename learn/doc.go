// Package learn holds what was observed of tools in use and what was concluded from it: events, the cells they are folded into, insights,
// recommendations, and the contract of the stores that keep them.
//
// Where it stands: the facade (or an importer) makes an [Event] of every finished call and hands it to a [Recorder]; a [Store] folds events into a [Cell] for
// each tool, hour, model and client; learn/evaluate concludes [Insight] values from cells, learn/advise [Recommendation] values; learn/view publishes them, and
// the bridge takes a [Profile] of each operation into AIR. Figures are keyed by contract: a changed tool begins anew.
//
// It reads no clock, opens no file and knows no database. What a server says never gets in but as sizes, keyed digests and shapes.
package learn
