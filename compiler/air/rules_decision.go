package air

import "anvil/compiler/diag"

// The rules about what people decided beside approvals: blocks, and overlays of a configuration file.

var approvalEnded = diag.Rule{
	ID:    "approval-ended-by-block",
	Title: "An approval that a block ended",
	Doc:   "Somebody blocked the operation since it was approved, with `anvil mcp block` or by deny in a configuration file. A block is stronger than any approval.",
	Class: diag.Info,
	Since: "0.1",
}

var blockKept = diag.Rule{
	ID:    "block-kept",
	Title: "A block of an operation that is not there",
	Doc:   "The server no longer has the operation. The block is kept: should the operation come back, whatever it is then, nobody calls it.",
	Class: diag.Info,
	Since: "0.1",
}

var overlayAliasTaken = diag.Rule{
	ID:    "overlay-alias-taken",
	Title: "An alias that is another operation's command",
	Doc:   "A word on a command line names one operation. Give the overlay another alias.",
	Class: diag.Error,
	Since: "0.1",
}

var overlayIneffective = diag.Rule{
	ID:    "overlay-without-effect",
	Title: "An overlay that waives a confirmation which cannot be waived, or allows programs that nobody writes",
	Doc: "A change that is destructive, financial, of high risk or irreversible waits for a yes, whatever is stated of its confirmation. State the fact " +
		"that makes it harmless (`risk`, `reversible`) if it is one, or take `confirm: false` out. A query policy (`query`) is of operations that run what " +
		"their caller writes; `any` spares a person's yes to each call where that is the one reason for it, and `read_only` spares none.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var overlayLapsed = diag.Rule{
	ID:    "overlay-lapsed",
	Title: "An overlay that made a tool safer than it looks, and the tool has changed",
	Doc: "What an overlay loosens holds for the contract and the text that its author looked at. The tool is another one now, so what is inferred of it " +
		"holds; what the overlay tightens holds still. Look at the tool, and write the printed `seen` into the overlay, or take the loosening fact out.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}

var overlayLoosens = diag.Rule{
	ID:    "overlay-loosens",
	Title: "An overlay that makes a tool safer than it looks",
	Doc:   "A named person states, with a reason, that the tool is less dangerous than is inferred of it. It holds until the tool's contract or text changes.",
	Class: diag.Info, Security: true,
	Since: "0.1",
}

var overlayOrphaned = diag.Rule{
	ID:    "overlay-orphaned",
	Title: "An overlay of an operation that is not there",
	Doc:   "The overlay names a tool that the server does not have, so it protects and explains nothing. Correct the name, or take the overlay out.",
	Class: diag.Error,
	Since: "0.1",
}

var overlayUnfit = diag.Rule{
	ID:    "overlay-unfit",
	Title: "An overlay by which an operation cannot be served",
	Doc: "What the overlay states contradicts what holds of every operation: an idempotency key needs an argument that carries it (`idempotency: {mode: key_supported, " +
		"key: ARGUMENT}`), and who runs a caller's program without a person's yes needs a query policy (`query`). A pack with it would be opened by nobody.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var overlayUnsigned = diag.Rule{
	ID:    "overlay-unsigned",
	Title: "An overlay that makes a tool safer than it looks, in nobody's name",
	Doc:   "Loosening what is inferred of a tool takes a person who answers for it: add `by` and `reason` to the overlay. Tightening needs neither.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var overlayWithdrawn = diag.Rule{
	ID:    "overlay-withdrawn",
	Title: "An overlay that is no longer stated",
	Doc:   "The pack that is replaced was built with an overlay of this tool, and the configuration has none any more: what is inferred of it holds again.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}
