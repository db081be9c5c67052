// Package invoke makes one call under what was learned: a gate decides, a person is asked, middleware wraps, a policy repeats, and what became of it is observed
// exactly once.
//
// Where it stands: beside the store, above learn/advise, whose verdicts and ways to retry it follows. Whoever makes calls (a host, an example, a test) gives a
// [Client] its gate, what is known of each operation's effect, a way to retry, which [Stored] reads from a store, and where observations go, which is a
// [learn.Recorder]. The facade, which forwards frames of others, does not go through it.
//
// It fails closed: without a gate there is no client, without an approver whatever needs a person is refused, a gate that errs
// refuses, and without a word on its effect nothing is made twice. Nothing of a call is
// kept in what calls share, hooks that are owed are run whatever panics, and credentials are never text by accident ([Secret]). It opens no store, and takes
// clock and randomness as options.
package invoke
