package gate

import "anvil/compiler/diag"

var (
	confusableName = diag.Rule{ID: "confusable-name", Title: "A tool's name looks like another, or like what it is not", Class: diag.Warning, Security: true, Since: "0.1",
		Doc: `Names that differ by look-alike letters (a Cyrillic one for a Latin one, full-width ones, l and 1, rn and m) are one to a reader and two to a machine. Who
approves or forbids the one by sight gets the other. Letters of two scripts in one word are no accident either. Compare the code points
that the message shows, and have the server rename the tool.`}
	nameAcrossServers = diag.Rule{ID: "name-across-servers", Title: "Two servers list a tool under one name", Class: diag.Warning, Since: "0.1",
		Doc: `Clients that put no server's name before a tool's cannot tell the two apart: some stop with an error, some keep the last one read. A prefix
does not always help: server a with tool b__c and server a__b with tool c come out alike. Approve the tool on one server, or serve both
through the facade.`}
	nameCharset = diag.Rule{ID: "name-charset", Title: "A tool's name has characters that are not taken", Class: diag.Warning, Since: "0.1",
		Doc: `The protocol allows letters, digits and _ - . in a tool's name; most models' APIs do not take the dot, some want a letter in front. An API that
refuses one name refuses the whole request. The hint gives a name that every known client takes.`}
	nameLength = diag.Rule{ID: "name-length", Title: "A tool's name is longer than is taken", Class: diag.Warning, Since: "0.1",
		Doc: `Clients put the configured name of the server, and of a plugin, before each tool's, and the limit is on the whole: mcp__files__read has 16
characters. Clients drop the tool, or the API behind them refuses the request. The hint gives a name that every known client takes. Shorten the tool's name, or configure the server under a
shorter one. Where no name is configured, a tool is reported when it is too long behind any, and the server when its own name is too long.`}
	nearDuplicate = diag.Rule{ID: "near-duplicate-tools", Title: "Two tools describe themselves alike", Class: diag.Warning, Since: "0.1",
		Doc: `The descriptions of two tools say the same, but for forms of words, and their arguments are mostly the same: a model has the names alone to
choose by. Have the server say when to use which, or approve one of them.`}
	pageSize = diag.Rule{ID: "page-size-below-count", Title: "A list comes in several pages", Class: diag.Warning, Since: "0.1",
		Doc: `Some clients read the first page of a list and stop: the tools on the other pages do not exist for them. A server with fewer than some
hundred tools needs no pages.`}
	tokenBudget = diag.Rule{ID: "token-budget", Title: "Tools take much of a model's context", Class: diag.Warning, Since: "0.1",
		Doc: `Names, descriptions and input schemas of all tools are sent to the model on every turn. They are counted with o200k_base, which is exact for
one family of models and an estimate for others. One tool of more than 2,000 tokens is reported for itself; all together by what clients
hold: one defers tools beyond a tenth of a context of 200,000. Approve the tools that are needed, or shorten the longest.`}
	toolShadowing = diag.Rule{ID: "tool-shadowing", Title: "A server lists another tool under the name of one of another server's", Class: diag.Warning, Security: true, Since: "0.1",
		Doc: `Two servers list different tools under one name. Clients without prefixes call one of them for the other, and a server can take calls that were
meant for its neighbour by listing that name. Approve the tool on one server only.`}
	truncationCollision = diag.Rule{ID: "truncation-collision", Title: "Two names are one once they are cut", Class: diag.Warning, Since: "0.1",
		Doc: `Who cuts long names cuts the tail, where names of one family differ. The two tools then have one name, and one is called for the other. Each client
that is known to cut is judged by what it makes of a name; on no axis it is a warning where the names themselves are alike in their first 64
characters, which most models' APIs take. An API that refuses long names cuts nothing: see name-length. Rename them so that they differ in front.`}
	versionFloating = diag.Rule{ID: "version-floating", Title: "The command runs whatever version is newest", Class: diag.Warning, Security: true, Since: "0.1",
		Doc: `npx, uvx, pipx and docker fetch what they run. Without an exact version the server changes when its publisher, or whoever took over the
publisher's account, releases, and nobody here has looked at it. Name the version that was captured.`}
)

// nameRules are the rules behind nameChecks, and behind [CheckTogetherContext].
var nameRules = []diag.Rule{confusableName, nameAcrossServers, nameCharset, nameLength, nearDuplicate, pageSize, tokenBudget, toolShadowing, truncationCollision, versionFloating}

var nameChecks = []check{
	checkConfusableName, checkNameCharset, checkNameLength, checkTruncation, checkNearDuplicates, checkTokenBudget, checkPageSize, checkVersionFloating,
}
