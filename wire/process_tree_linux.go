package wire

import (
	"bytes"
	"crypto/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// markName is the variable by which the descendants of a server are known again: its value is a list of random ids
// separated by colons, one for each server that this process and its own ancestors were started as, the last its own.
// It is inherited by whatever the server starts, in whichever group or session that hides.
const markName = "ANVIL_PROCESS"

// tornReads is how often /proc is read again when a reading may have missed a member, there being no way to stop time.
const tornReads = 3

// tree knows the descendants of one server. A process is a member when it descends from this process, and is in the
// server's group, or carries the server's mark, or descends from the server or from a member, or was a member before.
//
// Not found are processes that dropped the mark from their environment and got a new parent and group before anyone
// looked. A process started through others, such as a daemon manager, is no descendant and is left alone.
type tree struct {
	mark string

	mu     sync.Mutex
	leader int              // id of the server, zero when it is not yet started
	known  map[procKey]bool // members found so far
	closed bool             // the server is about to be reaped: its id says nothing from then on
}

func newTree() *tree { return &tree{mark: rand.Text(), known: map[procKey]bool{}} }

// markEnv returns env with the mark of the tree in it. Marks of the trees that this process itself is in stay, so that
// an anvil which started this one as a server finds everything too, even when this one was killed.
func (t *tree) markEnv(env []string) []string {
	value := t.mark
	if outer := os.Getenv(markName); outer != "" {
		value = outer + ":" + value
	}
	marked := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if !strings.HasPrefix(entry, markName+"=") {
			marked = append(marked, entry)
		}
	}
	return append(marked, markName+"="+value)
}

func (t *tree) lead(pid int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leader = pid
}

// remember notes the members there are. What is seen while the server lives is known by its parents, marked or not.
func (t *tree) remember() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read()
}

// terminate asks the members outside the group to leave; those in it are reached through the group.
func (t *tree) terminate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	alive, _, _ := t.read()
	for _, p := range alive {
		if p.group == t.leader {
			continue
		}
		if fd := signalExactly(p, unix.SIGTERM); fd >= 0 {
			unix.Close(fd)
		}
	}
}

// kill kills every member but the server itself, until there is none, and reaps those that fell to this process. The
// server must not be reaped before kill returns. It returns how many are left when within has passed, normally none.
func (t *tree) kill(within time.Duration) (left int) {
	defer adoptOrphans() // of what is gone already the rest is seen to at once
	deadline := time.Now().Add(within)
	stopped := map[procKey]bool{}
	for reads := 0; ; {
		t.mu.Lock()
		alive, dead, torn := t.read()
		reap(dead)
		if len(alive) == 0 && (!torn || reads >= tornReads) {
			t.closed = true
		}
		done := t.closed
		t.mu.Unlock()
		switch {
		case done:
			return 0
		case time.Now().After(deadline):
			t.close()
			return len(alive)
		case len(alive) == 0:
			reads++
		case stopNew(alive, stopped):
			continue // what they started before they stopped is only now to be seen as theirs
		}
		killAll(alive, deadline)
	}
}

// stopNew stops those of the processes that are not in stopped, so that none starts another while its kin is killed. It
// reports whether there were any.
func stopNew(procs []procInfo, stopped map[procKey]bool) bool {
	before := len(stopped)
	for _, p := range procs {
		if stopped[p.key()] {
			continue
		}
		stopped[p.key()] = true
		if fd := signalExactly(p, unix.SIGSTOP); fd >= 0 {
			unix.Close(fd)
		}
	}
	return len(stopped) > before
}

func (t *tree) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// adopt takes p, a child of this process and no server, if it is a member: it is remembered, or reaped if it is dead.
func (t *tree) adopt(p procInfo, env func() []byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed || t.leader == 0:
		return false
	case p.group != t.leader && !t.known[p.key()] && !(p.alive() && hasMark(env(), t.mark)):
		return false
	case p.alive():
		t.known[p.key()] = true
	default:
		reap([]procInfo{p})
	}
	return true
}

// read returns the members that live and those that are dead but not yet reaped by this process, their parent. torn
// says that members may be missing, because a process changed while it was looked at. The lock is held.
func (t *tree) read() (alive, dead []procInfo, torn bool) {
	if t.closed || t.leader == 0 {
		return nil, nil, false
	}
	s := &sweep{tree: t, self: os.Getpid(), table: readProcs(), found: map[int]kinship{}}
	for pid, p := range s.table {
		switch kin := s.kin(pid); {
		case pid == t.leader || pid == s.self:
		case kin == member:
			t.known[p.key()] = true
			if p.alive() {
				alive = append(alive, p)
			} else if p.ppid == s.self {
				dead = append(dead, p)
			}
		case kin == lost:
			torn = torn || t.carriesMark(pid)
		case kin == relative && p.ppid == s.self && p.alive():
			// Between two programs a process shows no environment at all for a moment.
			torn = torn || len(environ(pid)) == 0
		}
	}
	return alive, dead, torn
}

func (t *tree) carriesMark(pid int) bool { return hasMark(environ(pid), t.mark) }

// hasMark reports whether mark is among the ids that env, entries ended by zero bytes, lists.
func hasMark(env []byte, mark string) bool {
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if list, ok := bytes.CutPrefix(entry, []byte(markName+"=")); ok {
			return slices.Contains(strings.Split(string(list), ":"), mark)
		}
	}
	return false
}

func environ(pid int) []byte {
	env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return env
}

// kinship is what a process is to this one.
type kinship int

const (
	stranger kinship = iota
	lost             // its ancestor went away while it was looked for
	relative         // of this process, but of no member
	member
)

// sweep is one reading of all processes, and what was concluded from it.
type sweep struct {
	tree  *tree
	self  int
	table map[int]procInfo
	found map[int]kinship
}

func (s *sweep) kin(pid int) kinship {
	if k, ok := s.found[pid]; ok {
		return k
	}
	s.found[pid] = lost // an id reused while the table was read could close a circle
	k := s.judge(pid)
	s.found[pid] = k
	return k
}

func (s *sweep) judge(pid int) kinship {
	if pid == s.self {
		return relative
	}
	if pid <= 1 {
		return stranger
	}
	p, there := s.table[pid]
	if !there {
		return lost
	}
	parent := s.kin(p.ppid)
	if parent == stranger || parent == lost || parent == member {
		return parent
	}
	t := s.tree
	if pid == t.leader || p.group == t.leader || t.known[p.key()] || t.carriesMark(pid) {
		return member
	}
	return relative
}
