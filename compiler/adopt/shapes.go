package adopt

import "anvil/compiler/air"

// The names, as [air.Words] cuts them, of arguments that say where a listing goes on. What is as often something else is left out: "from" and
// "since" are dates, "token" a secret, "next" and "start" whatever the author meant.
var continuationNames = names(map[air.PaginationStyle]string{
	air.PaginationCursor: `after after_cursor bookmark continuation continuation_token continue_token cursor end_cursor exclusive_start_key
		last_evaluated_key next_cursor next_page_token next_token page_cursor page_marker page_token pagination_cursor pagination_token
		scroll_id search_after start_cursor starting_after`,
	air.PaginationPage:   `current_page page page_idx page_index page_no page_num page_number`,
	air.PaginationOffset: `offset page_offset skip start_at start_index start_offset`,
	air.PaginationLink:   `next_link next_page_link next_page_url next_url`,
})

func names(rows map[air.PaginationStyle]string) map[string]air.PaginationStyle {
	table := map[string]air.PaginationStyle{}
	for style, row := range rows {
		for name := range wordSet(row) {
			table[name] = style
		}
	}
	return table
}

// pageSizeNames are the names of arguments that bound a page: those that can mean nothing else, then those that mostly mean it. "count", "size",
// "rows" and "max_records" are left out: they ask for a total as often as for a page.
var pageSizeNames = []map[string]bool{
	wordSet(`hits_per_page items_per_page max_page_size page_count page_limit page_size per_page results_per_page`),
	wordSet(`first limit max_items max_results num_results take top`),
}

// nextNames are the members of an answer that hold what to send next.
var nextNames = wordSet(`continuation_token end_cursor next next_cursor next_link next_offset next_page next_page_token next_token next_url`)

// keyNames are the names of arguments that take an idempotency key, without what parts their words: requestKey, request-key and requestkey are one.
var keyNames = wordSet(`clientmutationid clientrequesttoken clienttoken dedupekey dedupkey deduplicationid deduplicationkey idempotencekey idempotencykey
	idempotencytoken idempotentkey requestkey`)

// bulkWords say in a name that many things are done in one call.
var bulkWords = wordSet(`batch bulk mass multi multiple`)

// transferVerbs move contents by themselves; carryingVerbs do when what they are about is a file.
var (
	transferVerbs = wordSet(`download upload`)
	carryingVerbs = wordSet(`attach fetch get import push put read save store write`)
	fileNouns     = wordSet(`artifact attachment blob file object`)
)

// lastingPhrases say in a description that the work outlasts the answer.
var lastingPhrases = []string{
	"asynchronous job", "asynchronous operation", "asynchronous task", "asynchronously", "background job", "in the background", "long running",
	"long-running", "may take several minutes", "poll for", "poll the", "polling", "returns a job id", "returns a task id", "returns an operation id",
	"takes several minutes",
}

// statusWords mark an operation that tells how work stands; statusFrame are those and what else stands around the name of the work.
var (
	statusWords = wordSet(`progress status`)
	statusFrame = wordSet(`check get job of poll progress read show status task`)
	startWords  = wordSet(`async begin execute job launch orchestrate run spawn start submit task trigger`)
	idWords     = wordSet(`id uuid`)
)
