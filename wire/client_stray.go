package wire

import "slices"

// strays are errors that came without the id of the call they answer, as when a peer could not read a message. Each is
// owed to one of the calls that waited when it came, which no reply will reach. Which one shows by elimination: when
// no more of them are left than there are errors, the errors are theirs. So the error ends a call that waits alone at
// once, and among several it is given out as soon as the others have their replies, never to a call that gets one.
type strays struct {
	owed  []outcome
	among map[uint64]struct{} // the calls that may be meant
}

// mayMeanNotice reports whether an error without an id is taken to be about a notification, as of servers that do not expect one: when
// several calls wait, as long as there are more notifications sent than errors so explained. A call that waits alone
// it ends all the same, since with a server that can read nothing every call would wait for its deadline; who may
// repeat the call does so.
func (c *Client) mayMeanNotice() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) < 2 || c.notices == 0 {
		return false
	}
	c.notices--
	return true
}

// stray takes an outcome whose call is unknown. Without a call waiting it concerns none.
func (c *Client) stray(o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 {
		return
	}
	s := &c.strays
	if s.among == nil {
		s.among = map[uint64]struct{}{}
	}
	for id := range c.pending {
		s.among[id] = struct{}{}
	}
	s.owed = append(s.owed, o)
	c.claim(len(s.among) <= len(s.owed))
}

// answered takes a call that got its reply off the list; it reports whether the rest is decided.
func (s *strays) answered(id uint64) (decided bool) {
	if len(s.owed) == 0 {
		return false
	}
	delete(s.among, id)
	return len(s.among) <= len(s.owed)
}

// leave takes a call that gave up off the list, and the oldest error with it: that call may well be the one meant.
func (s *strays) leave(id uint64) {
	if _, listed := s.among[id]; !listed {
		return
	}
	delete(s.among, id)
	if s.owed = s.owed[1:]; len(s.owed) == 0 {
		s.among = nil
	}
}

// claim gives the errors to the calls left, oldest to oldest; c.mu is held.
func (c *Client) claim(decided bool) {
	if !decided {
		return
	}
	ids := make([]uint64, 0, len(c.strays.among))
	for id := range c.strays.among {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	owed := c.strays.owed
	c.strays = strays{}
	for i, id := range ids {
		c.give(id, owed[i])
	}
}
