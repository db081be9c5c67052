package main

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
)

// store is the shop: customers, payments, refunds, the ledger and the outbox. It is safe for concurrent use; what its
// methods return is a copy. Every method either does all of its work or returns an error and changes nothing.
type store struct {
	mu        sync.Mutex
	customers map[string]string // id to name
	payments  []*payment        // by id
	refunds   []*refund         // by id, which grows
	requests  map[string]string // request key to the id of the refund it made
	ledger    []entry
	outbox    []message
}

// request asks for a refund.
type request struct {
	key         string // when set, asking again returns the refund made before
	paymentID   string
	reason      string
	total       money
	feePercent  *big.Rat
	lines       []line
	destination destination
}

// create makes a pending refund and reserves its amount on the payment.
func (s *store) create(r request) (refund, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.requests[r.key]; ok && r.key != "" {
		return s.repeated(id, r)
	}
	paid, err := s.payment(r.paymentID)
	if err != nil {
		return refund{}, err
	}
	if err := checkRequest(r, paid); err != nil {
		return refund{}, err
	}
	if _, ok := s.customers[paid.CustomerID]; !ok {
		return refund{}, fmt.Errorf("customer %s of payment %s was deleted: nobody is left to refund", paid.CustomerID, paid.ID)
	}
	made := &refund{
		ID: fmt.Sprintf("rf-%d", 1001+len(s.refunds)), PaymentID: paid.ID, CustomerID: paid.CustomerID, Status: pending,
		Reason: r.reason, Total: r.total, FeeMinor: new(fee(r.total.AmountMinor, r.feePercent)),
		Lines: r.lines, Destination: r.destination,
	}
	paid.RefundedMinor += r.total.AmountMinor
	s.refunds = append(s.refunds, made)
	if r.key != "" {
		s.requests[r.key] = made.ID
	}
	s.record(made, "requested")
	return *made, nil
}

// repeated answers a request whose key was used before; the key may not stand for another request.
func (s *store) repeated(id string, r request) (refund, error) {
	made, err := s.find(id)
	if err != nil {
		return refund{}, err
	}
	same := made.PaymentID == r.paymentID && made.Reason == r.reason && made.Total == r.total &&
		*made.FeeMinor == fee(r.total.AmountMinor, r.feePercent) && slices.Equal(made.Lines, r.lines) &&
		made.Destination == r.destination
	if !same {
		return refund{}, fmt.Errorf("request key %q was used for another refund, %s: choose a new key", r.key, id)
	}
	return *made, nil
}

// checkRequest holds a request against the payment it is about.
func checkRequest(r request, paid *payment) error {
	var sum big.Int // lines may add up to more than an int64
	for _, l := range r.lines {
		if l.Amount.Currency != r.total.Currency {
			return fmt.Errorf("line %s is in %s but the total is in %s", l.SKU, l.Amount.Currency, r.total.Currency)
		}
		sum.Add(&sum, big.NewInt(l.Amount.AmountMinor))
	}
	left := paid.Paid.AmountMinor - paid.RefundedMinor
	switch {
	case sum.Cmp(big.NewInt(r.total.AmountMinor)) != 0:
		return fmt.Errorf("lines add up to %s but the total is %d", &sum, r.total.AmountMinor)
	case r.total.Currency != paid.Paid.Currency:
		return fmt.Errorf("payment %s is in %s, not %s", paid.ID, paid.Paid.Currency, r.total.Currency)
	case r.total.AmountMinor > left:
		return fmt.Errorf("total %d is above the %d left to refund of payment %s", r.total.AmountMinor, left, paid.ID)
	}
	return nil
}

// fee returns percent of amount, rounded down.
func fee(amount int64, percent *big.Rat) int64 {
	share := new(big.Rat).Mul(new(big.Rat).SetInt64(amount), percent)
	share.Quo(share, new(big.Rat).SetInt64(100))
	return new(big.Int).Quo(share.Num(), share.Denom()).Int64()
}

func (s *store) get(id string) (refund, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.find(id)
	if err != nil {
		return refund{}, err
	}
	return *found, nil
}

// list returns up to limit refunds of a status ("any" for all) after the id cursor, and the cursor of the next page,
// which is "" on the last one.
func (s *store) list(status, cursor string, limit int) (page []refund, next string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	start := 0
	if cursor != "" {
		if start = 1 + slices.IndexFunc(s.refunds, func(r *refund) bool { return r.ID == cursor }); start == 0 {
			return nil, "", fmt.Errorf("cursor %q is none of this list: start again without a cursor", cursor)
		}
	}
	page = []refund{}
	for _, r := range s.refunds[start:] {
		if status != "any" && r.Status != status {
			continue
		}
		if len(page) == limit {
			return page, page[limit-1].ID, nil
		}
		page = append(page, *r)
	}
	return page, "", nil
}

// search returns the payments whose id, customer or description holds text, whatever its case, of at least minimum.
func (s *store) search(text string, minimum int64) []payment {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []payment{}
	for _, p := range s.payments {
		hay := strings.ToLower(strings.Join([]string{p.ID, p.CustomerID, s.customers[p.CustomerID], p.Description}, "\n"))
		if p.Paid.AmountMinor >= minimum && strings.Contains(hay, strings.ToLower(text)) {
			found = append(found, *p)
		}
	}
	return found
}

// entries returns the ledger from the number seq on.
func (s *store) entries(seq int64) []entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range s.ledger {
		if e.Seq >= seq {
			return slices.Clone(s.ledger[i:])
		}
	}
	return []entry{}
}

// find returns the refund itself; the caller holds the lock.
func (s *store) find(id string) (*refund, error) {
	for _, r := range s.refunds {
		if r.ID == id {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no refund %q: list_refunds shows the ids", id)
}

// payment returns the payment itself; the caller holds the lock.
func (s *store) payment(id string) (*payment, error) {
	for _, p := range s.payments {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no payment %q: search_payments shows the ids", id)
}

// record appends to the ledger what happened to r; the caller holds the lock.
func (s *store) record(r *refund, event string) {
	r.LedgerSeq = firstSeq + int64(len(s.ledger))
	s.ledger = append(s.ledger, entry{Seq: r.LedgerSeq, RefundID: r.ID, Event: event, Amount: r.Total})
}
