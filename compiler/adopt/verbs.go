package adopt

import (
	"strings"

	"anvil/compiler/air"
)

// verbClass is what a verb says about a tool.
type verbClass int

const (
	unknownVerb     verbClass = iota
	neutralVerb               // a verb that says nothing about change: analyze, export
	readVerb                  // looks, and changes nothing
	writeVerb                 // changes something
	highVerb                  // runs code, or reaches people or systems beyond recall
	financialVerb             // moves money
	destructiveVerb           // what is gone is gone
)

// risk returns the least risk of a mutation of this class.
func (c verbClass) risk() air.Risk {
	switch c {
	case highVerb:
		return air.RiskHigh
	case financialVerb:
		return air.RiskFinancial
	case destructiveVerb:
		return air.RiskDestructive
	}
	return air.RiskMedium
}

// mutates reports a class that changes something.
func (c verbClass) mutates() bool { return c >= writeVerb }

// dangerous reports a class whose harm is done at once.
func (c verbClass) dangerous() bool { return c >= financialVerb }

// verb is what the tables know of one word. A verb that is as often a noun ("post", "order") is ambiguous: elsewhere than in front it
// counts only with care.
type verb struct {
	class     verbClass
	action    air.Action
	ambiguous bool
}

// The tables: words in base form, sorted, one table a class. A "~" marks the ambiguous ones. They were gathered from the vocabulary of
// effects (air.Action), from the classes of harm that tool-safety reviews ask for, and from the names of some 2,800 tools of published
// servers; a word that named harmless tools there as often as harmful ones was left out or marked.
const (
	// Looking things up. The ambiguous ones name things too: poll_create, list_archive.
	readWords = `browse calculate check~ compare compute count~ describe diff~ fetch find get grep inspect introspect list~ lookup peek
		ping~ poll~ preview~ query~ read retrieve search~ show~ summarize tail~ view~ whoami whois`

	// Known words that say nothing either way. They stop a later noun from being taken for the verb.
	neutralWords = `analyze ask audit compose connect convert detect discover download estimate explain export extract generate identify
		parse predict profile render review~ scan select simulate suggest test~ translate validate verify wait watch`

	// Ordinary changes: state of the service is another afterwards.
	writeWords = `abort accept activate add adjust allocate amend append apply archive assign associate attach bind book~ cancel change
		claim~ click clone close commit~ complete configure copy create customize deactivate decline deny detach disable disassociate
		disconnect dismiss draft~ drag duplicate edit enable enroll favorite fill finalize fix fork freeze fulfil fulfill hide import increment index~ ingest init
		initialize insert install instantiate join leave~ link~ load lock~ login logout make manage mark~ merge migrate modify mount move
		mute navigate patch pause pin~ play~ populate prepare~ promote protect provision put reassign rebase reboot reconnect record~ redo refresh
		regenerate register reindex
		reinstall reject reload remap rename renew reopen reorder repair replace report~ request~ rescan reschedule reserve resize resolve respond
		restart restore
		resubmit resume retry revert rotate save scale~ schedule~ seed~ set setup snooze stage~ start stop store~ subscribe suspend
		swap switch sync tag~ toggle train~ transform transition unapprove undelete undo unfavorite unlock unmount unmute unpin unprotect unset unsubscribe update upgrade
		upload upsert vote~`

	// Execution of what the caller writes, messages to people, publication, and the handing out of access: beyond recall once done.
	highWords = `approve authorize broadcast call~ deploy dispatch email~ emit escalate eval evaluate exec execute fire grant
		impersonate interact invite invoke launch mail~ message~ notify post~ publish push redeploy release~ reply rerun resend run~ send share
		shell~ ship~ sms~ spawn submit trigger tweet write`

	// Money. Brokerage, shops, ledgers and payment services.
	financialWords = `bet bid bill~ buy capture~ charge~ checkout~ credit~ debit~ deposit~ donate fund~ invoice~ order~ pay payout~
		purchase~ redeem refund~ reimburse remit sell spend trade~ transfer~ wire~ withdraw`

	// Deletion, revocation, and states that lose what was there before.
	destructiveWords = `ban clean cleanup clear decommission delete deprovision destroy discard drop empty erase evict expire expunge
		flush forget kill nuke overwrite prune purge recreate remove reset revoke rm rollback shred shutdown teardown terminate trash~ truncate
		unassign uninstall unlink unpublish wipe`
)

// actionWords maps verbs to the action they mean; a verb that is not listed takes the action of its class.
const actionWords = `list:list,browse search:search,find,query,grep,lookup poll:poll,ping,tail,wait,watch export:export,download
	simulate:simulate,preview,predict,estimate validate:validate,verify,check,test
	create:create,add,insert,make,clone,copy,duplicate,fork,register,provision,import,upload,draft,append,instantiate,generate
	update:update,set,edit,modify,change,configure,rename,move,mark,enable,disable,patch,tag,toggle,upsert,adjust
	replace:replace,put,overwrite,swap,restore,write execute:play
	approve:approve,accept,authorize,grant cancel:cancel,abort,stop,revert,undo,decline,reject,unapprove
	reserve:book,reserve,claim,lock,allocate
	send:send,email,mail,message,notify,post,publish,push,reply,resend,broadcast,sms,tweet,share,invite,dispatch,emit,submit`

// classAction is the action of a verb by its class alone.
var classAction = map[verbClass]air.Action{
	neutralVerb: air.ActionOther, readVerb: air.ActionGet, writeVerb: air.ActionUpdate, highVerb: air.ActionExecute,
	financialVerb: air.ActionExecute, destructiveVerb: air.ActionDelete,
}

var verbs = verbTable()

func verbTable() map[string]verb {
	table := map[string]verb{}
	for _, row := range []struct {
		class verbClass
		words string
	}{
		{neutralVerb, neutralWords}, {readVerb, readWords}, {writeVerb, writeWords}, {highVerb, highWords}, {financialVerb, financialWords},
		{destructiveVerb, destructiveWords},
	} {
		for _, word := range strings.Fields(row.words) {
			base, ambiguous := strings.CutSuffix(word, "~")
			table[base] = verb{row.class, classAction[row.class], ambiguous}
		}
	}
	for _, row := range strings.Fields(actionWords) {
		action, words, _ := strings.Cut(row, ":")
		for word := range strings.SplitSeq(words, ",") {
			if v, ok := table[word]; ok {
				v.action = air.Action(action)
				table[word] = v
			}
		}
	}
	return table
}

// moneyNouns name money wherever they stand: a change to one of these is financial, whatever its verb.
var moneyNouns = wordSet(`bank billing charge credit debit deposit invoice leverage order payment payout payroll purchase refund salary transaction
	transfer wallet withdrawal`)

// notMoney lists pairs of words in which a money noun is none.
var notMoney = wordSet(`begin-transaction column-order commit-transaction database-transaction display-order file-transfer layer-order
	memory-bank question-bank sort-order tab-order z-order`)

// moneyPairs are two words that name money together.
var moneyPairs = wordSet(`journal-line ledger-entry manual-journal`)

// notTransfer lists what is transferred without any money moving.
var notTransfer = wordSet(`branch call collection component content conversation data detect dns domain download element file folder hook issue
	knowledge model object ownership package plugin project record repo repository request resolve resource response session store task ticket
	workspace`)

// notEvaluated lists what is evaluated without any of it being run.
var notEvaluated = wordSet(`condition flag metric policy risk rule segment`)

// held lists what is released by letting go of it.
var held = wordSet(`claim hold lease lock reservation`)

// savedStates are what a restore puts in the place of what is there.
var savedStates = wordSet(`backup snapshot`)

// credentials give access to who has them, or stand in its way; members get it by being added.
var (
	credentials = wordSet(`acl allowlist credential firewall password permission role secret`)
	keyPairs    = wordSet(`access-key access-list access-token api-key api-token public-key private-key service-account ssh-key`)
	members     = wordSet(`collaborator member`)
)

// nounPairs are two words of which the second is no verb.
var nounPairs = wordSet(`access-request add-request hook-post merge-request pull-request`)

// outboundNouns name what reaches people once it is made.
var outboundNouns = wordSet(`announcement email mail message notification sms tweet`)

// versionControl lists words beside which a checkout is one of files.
var versionControl = wordSet(`branch commit file git ref repo repository tag worktree`)

// notCapture lists what is captured without any money moving.
var notCapture = wordSet(`audio body console dom event frame heap html image log network output page photo screen screenshot snapshot state
	thumbnail trace traffic video view`)

// nounHeads end a name whose first word is a noun: the "order" of order_history, the "run" of run_details.
var nounHeads = wordSet(`count detail history id info log metadata metric schema stat statistic stats template type`)

// notMany are plurals that name one thing: get_settings gets the settings.
var notMany = wordSet(`analytics capabilities contents credentials details docs instructions metadata options preferences properties settings
	specifications stats statistics`)

// lossFlags begin the name of a flag under which something goes as well: dropTarget.
var lossFlags = wordSet(`delete drop erase overwrite purge truncate wipe`)

// conjunctions join two acting verbs: create_or_update, fetch_and_index.
var conjunctions = wordSet(`and or then`)

// prepositions end the noun that is acted on: get_build_log_by_id.
var prepositions = wordSet(`across after as at before by for from in into of on onto per to under using via with within without`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// descriptionReads are words that lead the description of a read, and would be changes in a name (return_item).
var descriptionReads = wordSet(`display give return`)

// fillers stand in front of a description's verb: "Use this tool to permanently delete ...".
var fillers = wordSet(`a allows also an api automatically call calls can command easily efficiently enables endpoint for function
	immediately irreversibly is it lets may method operation permanently quickly safely securely that the this to tool use used user
	users utility will you`)

// dangerPhrases say in a description that something cannot be taken back, or, where they speak of loss, that it is gone.
var dangerPhrases = []struct {
	phrase string
	risk   air.Risk
}{
	{"cannot be reversed", air.RiskHigh}, {"cannot be undone", air.RiskHigh}, {"can't be undone", air.RiskHigh},
	{"data loss", air.RiskDestructive}, {"irrecoverabl", air.RiskDestructive}, {"irreversibl", air.RiskHigh},
	{"is destructive", air.RiskDestructive}, {"permanently delete", air.RiskDestructive}, {"permanently remove", air.RiskDestructive},
	{"will be deleted", air.RiskDestructive}, {"will be erased", air.RiskDestructive}, {"will be overwritten", air.RiskDestructive},
	{"will be removed", air.RiskDestructive},
}

// negations take back what follows them in a sentence.
var negations = wordSet(`cannot doesn don isn never no non not nothing unlike without won`)

// executionSinks name parameters whose text is run by somebody: a shell, an interpreter, a database.
var executionSinks = wordSet(`bash cmd command cypher eval exec graphql javascript js lua luau powershell program python script shell sql
	statement`)

// codeWords tell that a parameter called "code" is a program and not a country's code.
var codeWords = wordSet(`eval evaluate execute interpreter javascript js lua luau python run script shell snippet sql typescript`)

// queryWords tell that a parameter called "query" is a program and not a search text.
var queryWords = wordSet(`cypher graphql kql sparql sql`)

// programWords stand beside a sink's word in the name of an argument that holds nothing but a program.
var programWords = wordSet(`code expression function query source text`)

// overrideFlags name parameters that a read has no use for.
var overrideFlags = wordSet(`confirm confirmation confirmed force overwrite`)

// reachParameters name parameters that aim a tool at a place of the caller's choice; a note for the reviewer.
var reachParameters = wordSet(`directory endpoint file filename filepath host hostname path uri url`)

// verbOf looks a word of a name up, without trailing digits: "delete2". Plurals are nouns there.
func verbOf(word string) (verb, bool) {
	v, ok := verbs[strings.TrimRight(word, "0123456789")]
	return v, ok
}

// verbInText looks a word of a description up, third person included: "deletes".
func verbInText(word string) (verb, bool) {
	for _, base := range baseForms(word) {
		if descriptionReads[base] {
			return verb{class: readVerb, action: air.ActionGet}, true
		}
		if v, ok := verbs[base]; ok {
			return v, true
		}
	}
	return verb{}, false
}

// baseForms lists what a word may be a plural or a third person of, itself first.
func baseForms(word string) []string {
	forms := []string{word}
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		forms = append(forms, stem+"y")
	}
	if stem, ok := strings.CutSuffix(word, "es"); ok {
		forms = append(forms, stem)
	}
	if stem, ok := strings.CutSuffix(word, "s"); ok && !strings.HasSuffix(stem, "s") {
		forms = append(forms, stem)
	}
	return forms
}

// inSet looks a word up in a set, singular or plural.
func inSet(set map[string]bool, word string) bool {
	for _, base := range baseForms(word) {
		if set[base] {
			return true
		}
	}
	return false
}
