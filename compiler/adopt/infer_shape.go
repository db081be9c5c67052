package adopt

import (
	"slices"
	"strings"

	"anvil/compiler/adopt/grouping"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// How sure the ways of telling what an operation is like are, 0 to 1.
const (
	sureTask      = 0.9 // execution.taskSupport: the server states it
	surePaging    = 0.9 // one argument that can be nothing else
	sureShapeName = 0.7 // upload_file, bulk_delete
	sureShapeText = 0.5 // "returns a job id"
	sureKey       = 0.8 // an argument "idempotency_key"
	sureStatus    = 0.6 // "crawl" beside "check_crawl_status"
)

// fromShape fills in what the operation is like, with a claim for each reading: how it pages, whether its work outlasts the answer, where an
// idempotency key goes, and its archetype. None of it loosens anything.
func (in *inference) fromShape(o *air.Operation, n nameReading) {
	in.fromKey(o)
	_, _, pages := in.continuation()
	if n.listing(o.Effect.Action, pages) {
		in.shape(air.FromName, canon.Pointer("name"), "listing", sureShapeName, air.ArchetypeSearch)
		in.fromPages(o)
	}
	in.fromFiles(*o, n)
	in.fromProgram(n)
	if i := slices.IndexFunc(n.words, func(w string) bool { return bulkWords[w] }); i >= 0 {
		in.shape(air.FromName, canon.Pointer("name"), "word:"+n.words[i], sureShapeName, air.ArchetypeBulk)
	}
	in.fromTasks(o, n)
	if !slices.ContainsFunc(in.claims, func(c air.Claim) bool { return c.Predicate == air.PredicateArchetype }) {
		in.shape(air.FromInferred, "", "nothing-else", sureDefault, air.ArchetypeTransaction)
	}
}

func (in *inference) shape(source air.ClaimKind, pointer, method string, sure float64, archetype air.Archetype) {
	in.claim(source, pointer, method, sure, air.PredicateArchetype, air.ValueOf(archetype))
}

// listing reports a name that asks for many things: it lists, searches, or gets what is named in the plural (get_issues), and changes nothing. What
// has no verb in its name lists when its description says so; what it is said to search is one thing as often, unless it pages.
func (n nameReading) listing(action air.Action, pages bool) bool {
	if n.class().mutates() {
		return false
	}
	switch action {
	case air.ActionList:
		return true
	case air.ActionSearch:
		return len(n.acting) > 0 || pages
	case air.ActionGet, air.ActionExport:
		return n.plural()
	}
	return false
}

// plural reports a name whose verb is followed by a noun in the plural, or by one that ends in "list".
func (n nameReading) plural() bool {
	noun := n.about()
	if len(noun) == 0 || n.words[n.acting[0].at] == "count" || n.acting[len(n.acting)-1].at == len(n.words)-1 {
		return false
	}
	last := noun[len(noun)-1]
	return last == "list" || grouping.Singular(last) != last && !notMany[last]
}

// fromKey records an argument that is made for an idempotency key. That the server heeds it is its word: the mode stays what it was until a person
// vouches for it.
func (in *inference) fromKey(o *air.Operation) {
	var found []schema.NamedMember
	for _, m := range in.top {
		if keyNames[strings.Join(air.Words(m.Name), "")] {
			found = append(found, m)
		}
	}
	if len(found) != 1 || !(parameter{schema: found[0].Schema}).freeText() {
		return
	}
	mode, pointer := air.IdempotencyKeySupported, canon.Pointer("inputSchema", "properties", found[0].Name)
	if found[0].Required {
		mode = air.IdempotencyRequired
	}
	o.Idempotency.Mechanism, o.Idempotency.Key, o.Idempotency.KeyDerivation = air.MechanismArgument, valid(found[0].Name), air.KeyOfClient
	in.claim(air.FromSchema, pointer, "key-argument", sureKey, air.PredicateKey, canon.Quote(valid(found[0].Name)))
	in.claim(air.FromSchema, pointer, "key-argument", sureKey, air.PredicateIdempotency, air.ValueOf(mode))
	in.note("the argument %q takes an idempotency key; that the server heeds it is unproven", found[0].Name)
}

// fromPages finds how a listing gives out its items. One argument must say where to go on, and no other: a listing that takes a page and an
// offset has rules of its own.
func (in *inference) fromPages(o *air.Operation) {
	style, param, ok := in.continuation()
	if !ok {
		return
	}
	p := air.Pagination{Style: style, CursorParam: valid(param.Name)}
	if size, ok := in.pageSize(); ok {
		p.PageSizeParam = valid(size.Name)
		p.MaxPageSize, p.DefaultPageSize = natural(size.Schema.Get("maximum")), natural(size.Schema.Get("default"))
	}
	p.NextField, p.ItemsField = in.answerFields()
	o.Pagination = &p
	pointer := canon.Pointer("inputSchema", "properties", param.Name)
	in.claim(air.FromSchema, pointer, "continuation-argument", surePaging, air.PredicatePagination, air.ValueOf(style))
	in.shape(air.FromSchema, pointer, "continuation-argument", surePaging, air.ArchetypeSearch)
}

// continuation returns the one argument that says where to go on.
func (in *inference) continuation() (style air.PaginationStyle, param schema.NamedMember, ok bool) {
	found := 0
	for _, m := range in.top {
		s, known := continuationNames[strings.Join(air.Words(m.Name), "_")]
		numbered := s == air.PaginationPage || s == air.PaginationOffset
		if !known || numbered != in.counts(m) {
			continue
		}
		style, param = s, m
		found++
	}
	return style, param, found == 1
}

// counts reports an argument that takes numbers.
func (in *inference) counts(m schema.NamedMember) bool {
	types := schema.TypeNames(in.tool.Node.Get("inputSchema"), m.Schema)
	return slices.Contains(types, "integer") || slices.Contains(types, "number")
}

// pageSize returns the argument that bounds a page: the only one of the names that can mean nothing else, or else the only one of those that
// mostly mean it.
func (in *inference) pageSize() (schema.NamedMember, bool) {
	for _, names := range pageSizeNames {
		var found []schema.NamedMember
		for _, m := range in.top {
			if names[strings.Join(air.Words(m.Name), "_")] && in.counts(m) {
				found = append(found, m)
			}
		}
		if len(found) > 0 {
			return found[0], len(found) == 1
		}
	}
	return schema.NamedMember{}, false
}

// answerFields are where a structured answer has what to send next, and its items, as pointers; "" where that is not plain.
func (in *inference) answerFields() (next, items string) {
	var nexts, lists []string
	root := in.tool.Node.Get("outputSchema")
	for _, m := range schema.Properties(root) {
		switch {
		case nextNames[strings.Join(air.Words(m.Name), "_")]:
			nexts = append(nexts, canon.Pointer(valid(m.Name)))
		case slices.Equal(schema.TypeNames(root, m.Schema), []string{"array"}):
			lists = append(lists, canon.Pointer(valid(m.Name)))
		}
	}
	if len(nexts) == 1 {
		next = nexts[0]
	}
	if len(lists) == 1 {
		items = lists[0]
	}
	return next, items
}

// natural is a count that a schema states, 0 when it states none.
func natural(n *canon.Node) int64 {
	if v, ok := n.Int(); ok && v > 0 {
		return v
	}
	return 0
}

// fromFiles finds operations that move contents whole: by an uploading or downloading verb, by a reading or writing one of files, and by an argument
// that holds bytes.
func (in *inference) fromFiles(o air.Operation, n nameReading) {
	pointer := canon.Pointer("name")
	for _, a := range n.acting {
		word := n.words[a.at]
		if transferVerbs[word] || carryingVerbs[word] && isFile(n.about()) && !(n.plural() && a.class == readVerb && word != "read") {
			in.shape(air.FromName, pointer, "verb:"+word, sureShapeName, air.ArchetypeFileTransfer)
			return
		}
	}
	for _, m := range in.top {
		words := air.Words(m.Name)
		if slices.Contains(words, "base64") || m.Schema.Get("contentEncoding").Text() == "base64" {
			in.shape(air.FromSchema, canon.Pointer("inputSchema", "properties", m.Name), "bytes-argument", sureShapeName, air.ArchetypeFileTransfer)
			return
		}
	}
}

// fromProgram finds a name that says a program of the caller's is run: run_gcloud_command, whatever its arguments are called.
func (in *inference) fromProgram(n nameReading) {
	for _, a := range n.acting {
		if about := n.about(); a.class == highVerb && a.action == air.ActionExecute && len(about) > 0 && executionSinks[about[len(about)-1]] {
			in.shape(air.FromName, canon.Pointer("name"), "verb:"+n.words[a.at], sureShapeName, air.ArchetypeQueryPassthrough)
		}
	}
}

// isFile reports a noun that is a file, or the contents of one.
func isFile(noun []string) bool {
	if last := len(noun) - 1; last > 0 && (noun[last] == "content" || noun[last] == "contents") {
		noun = noun[:last]
	}
	return len(noun) > 0 && inSet(fileNouns, noun[len(noun)-1])
}

// fromTasks finds work that goes on after the answer: as a task of the protocol (ToolExecution of MCP 2025-11-25), by a word of the name, or because
// the description says so of what does not read by its name: a read that speaks of polling is what is polled.
func (in *inference) fromTasks(o *air.Operation, n nameReading) {
	claim := func(source air.ClaimKind, pointer, method string, sure float64, means air.LongRunningMeans) {
		if o.LongRunning == nil {
			o.LongRunning = &air.LongRunning{Means: means}
		}
		in.claim(source, pointer, method, sure, air.PredicateLongRunning, air.ValueOf(means))
		in.shape(source, pointer, method, sure, air.ArchetypeLongRunning)
	}
	if support := in.tool.Node.Get("execution").Get("taskSupport").Text(); support == "required" || support == "optional" {
		claim(air.FromHint, canon.Pointer("execution", "taskSupport"), "task-"+support, sureTask, air.MeansTask)
	}
	if phrase, ok := lastingIn(o.Description); ok && !n.reads() {
		claim(air.FromDescriptionText, canon.Pointer("description"), "phrase:"+phrase, sureShapeText, air.MeansWait)
	}
}

// lastingIn returns the phrase by which a description says that the work outlasts the answer.
func lastingIn(text string) (string, bool) {
	if len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:maxDescription], "")
	}
	lower := strings.ToLower(text)
	for _, phrase := range lastingPhrases {
		if before, _, found := strings.Cut(lower, phrase); found && !negated(before) {
			return phrase, true
		}
	}
	return "", false
}

// negated reports a text whose last sentence takes back what follows.
func negated(before string) bool {
	sentences := splitSentences(before)
	if len(sentences) == 0 {
		return false
	}
	return slices.ContainsFunc(textWords(sentences[len(sentences)-1]), func(w string) bool { return negations[w] })
}
