package main

import "fmt"

// approve pays a pending refund out. Approving again changes nothing.
func (s *store) approve(id string) (refund, error) {
	return s.change(id, func(r *refund) error {
		switch r.Status {
		case cancelled:
			return fmt.Errorf("refund %s is cancelled: create a new one", r.ID)
		case pending:
			r.Status = approved
			s.record(r, "approved")
		}
		return nil
	})
}

// cancel ends a refund and frees its amount on the payment.
func (s *store) cancel(id string) (refund, error) {
	return s.change(id, func(r *refund) error {
		if r.Status == cancelled {
			return fmt.Errorf("refund %s is cancelled already", r.ID)
		}
		paid, err := s.payment(r.PaymentID)
		if err != nil {
			return err
		}
		paid.RefundedMinor -= r.Total.AmountMinor
		r.Status = cancelled
		s.record(r, "cancelled")
		return nil
	})
}

// reopen makes a cancelled refund pending again, if its payment still has the amount.
func (s *store) reopen(id string) (refund, error) {
	return s.change(id, func(r *refund) error {
		if r.Status != cancelled {
			return fmt.Errorf("refund %s is %s: only a cancelled one can be reopened", r.ID, r.Status)
		}
		paid, err := s.payment(r.PaymentID)
		if err != nil {
			return err
		}
		if left := paid.Paid.AmountMinor - paid.RefundedMinor; r.Total.AmountMinor > left {
			return fmt.Errorf("refund %s is above the %d left to refund of payment %s", r.ID, left, paid.ID)
		}
		paid.RefundedMinor += r.Total.AmountMinor
		r.Status = pending
		s.record(r, "reopened")
		return nil
	})
}

// setNote replaces the note of a refund.
func (s *store) setNote(id string, n note) (refund, error) {
	return s.change(id, func(r *refund) error {
		r.Note = &n
		return nil
	})
}

// change applies alter to a refund. alter checks before it changes anything.
func (s *store) change(id string, alter func(*refund) error) (refund, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.find(id)
	if err != nil {
		return refund{}, err
	}
	if err := alter(found); err != nil {
		return refund{}, err
	}
	return *found, nil
}

// deleteCustomer forgets a customer for good, unless a refund still waits for them.
func (s *store) deleteCustomer(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.customers[id]; !ok {
		return fmt.Errorf("no customer %q", id)
	}
	for _, r := range s.refunds {
		if r.CustomerID == id && r.Status == pending {
			return fmt.Errorf("refund %s of customer %s is pending: approve or cancel it first", r.ID, id)
		}
	}
	delete(s.customers, id)
	return nil
}

// notify puts a message to the customer of a refund into the outbox.
func (s *store) notify(id, channel, text string) (message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.find(id)
	if err != nil {
		return message{}, err
	}
	name, ok := s.customers[found.CustomerID]
	if !ok {
		return message{}, fmt.Errorf("customer %s of refund %s was deleted", found.CustomerID, id)
	}
	sent := message{
		Number:     len(s.outbox) + 1,
		CustomerID: found.CustomerID,
		Channel:    channel,
		Text:       fmt.Sprintf("Dear %s, about %s: %s", name, id, text),
	}
	s.outbox = append(s.outbox, sent)
	return sent, nil
}
