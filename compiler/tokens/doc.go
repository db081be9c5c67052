// Package tokens estimates what text costs a model. The gate's budgets and the report of a surface ask it what a tool takes
// of a model's context.
//
// It counts text alone: which text of a tool a model is shown is the surface's to say. It never fetches a vocabulary.
package tokens
