// Package learn holds what was observed of tools in use and what was concluded from it: events, the cells they are folded into, insights,
// recommendations, and the contract of the stores that keep them.
//
// Where it stands: the facade, learn/invoke (a client's side) or learn/exchange (files of others) makes an [Event] of every finished call, and a [Recorder] hands
// events to a [Store] (learn/sqlstore), which folds them into a [Cell] for each tool, hour, model and client. learn/evaluate concludes an [Insight] from cells,
// learn/workflow from sessions, learn/advise draws a [Recommendation] from both, and learn/conclude runs all of them over a store. learn/profile makes of a [Record]
// what others use: learn/view publishes it, learn/summary tells people, and the bridge lowers it into AIR. Figures are keyed by contract: a changed tool begins anew.
//
// It reads no calendar, opens no file and knows no database: when a call ended is what its event says. The recorder alone runs timers, of how long a batch waits.
// What a server says never gets in but as sizes, keyed digests and shapes.
package learn
