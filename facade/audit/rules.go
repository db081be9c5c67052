package audit

import "anvil/compiler/diag"

const keepAside = "keep the files as they are, and hold them against a copy or a head that was kept elsewhere"

// The rules of what is found in a log.
var (
	altered = diag.Rule{ID: "audit-record-altered", Title: "A line of an audit log is not as it was written", Class: diag.Error, Security: true, Since: "0.1",
		Doc:  "Each line ends with the SHA-256 of the rest of it. This one does not fit, so it was edited, damaged or put in by something else.",
		Hint: keepAside}
	broken = diag.Rule{ID: "audit-chain-broken", Title: "A record does not follow from the one before it", Class: diag.Error, Security: true, Since: "0.1",
		Doc:  "Each record holds the hash of the one before it. Where they do not meet, records were removed, put in, moved or written anew, or a file is missing.",
		Hint: "give all files of the log; where that is so already, " + keepAside}
	cutShort = diag.Rule{ID: "audit-cut-short", Title: "A file ends in the middle of a record", Class: diag.Error, Since: "0.1",
		Doc:  "A process was ended while it wrote, is writing at this moment, or somebody cut the end off.",
		Hint: "verify again once the server is served again or has ended: serving with this file notes what was torn and goes on with the chain"}
	headMissing = diag.Rule{ID: "audit-head-missing", Title: "The chain does not hold the head that was kept", Class: diag.Error, Security: true, Since: "0.1",
		Doc:  "A head is the hash of the last record at some moment. The chain holds it for ever, unless its end was cut off or all of it was written anew.",
		Hint: "see that the head is this log's and that all files are given; where that is so already, " + keepAside}
	tornRecord = diag.Rule{ID: "audit-record-torn", Title: "A process ended in the middle of a record", Class: diag.Warning, Since: "0.1",
		Doc:  "What it left behind stays in the file, with a record about it, and the chain goes on from the last whole record. Records of calls that were under way are missing.",
		Hint: "find out why the process ended; `--fail-on error` lets this pass"}
	notClosed = diag.Rule{ID: "audit-not-closed", Title: "A log was not closed", Class: diag.Info, Since: "0.1",
		Doc:  "Who closes a log says so in its last record. Without it the process is still writing or was ended, or records at the end were cut off.",
		Hint: "give a head that was kept with --head to see that nothing is missing at the end"}
	startsLate = diag.Rule{ID: "audit-starts-late", Title: "The files do not begin with the log's first record", Class: diag.Info, Since: "0.1",
		Doc:  "A log goes on in further files. What stands in those that were not given was not looked at.",
		Hint: "give the earlier files too, such as `anvil audit verify FILE*`, or the head of the last of them with --head"}
)

// Rules lists them.
var Rules = diag.NewCatalog(altered, broken, cutShort, headMissing, tornRecord, notClosed, startsLate)
