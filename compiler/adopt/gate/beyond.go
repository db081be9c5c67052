package gate

// PagesRule is the rule that is judged by how many pages the lists came in, which evidence of a capture tells and a snapshot does not.
var PagesRule = pageSize.ID

// BeyondSnapshot are the rules that one snapshot cannot be judged by, and what else they need.
var BeyondSnapshot = map[string]string{
	nameAcrossServers.ID: "it is about several servers together",
	outputVsObserved.ID:  "it is about the results of calls",
	pageSize.ID:          "it needs evidence of the capture",
	toolShadowing.ID:     "it is about several servers together",
}
