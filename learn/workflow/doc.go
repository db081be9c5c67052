// Package workflow looks at calls as graphs: which call made which, what a session waited for, what failed because of what, and what comes again and again.
//
// Where it stands: beside learn/evaluate. It takes the events of sessions from a [learn.Store] (or those that learn/invoke traces), groups them with [Sessions],
// makes a [Graph] of each, and concludes insights of workflows ([Evaluate]) and of tools that are used together ([Cooccurrence]). learn/view publishes both.
//
// Every answer is a function of the events alone: it opens no store, reads no clock, and neither the order of its input nor that of a map shows in what comes out.
// What events say of each other is not trusted: cycles are cut, and all walks are loops that end. Workflows never become tools here.
package workflow
