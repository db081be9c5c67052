package wire

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// reapEvery is how often the dead among the orphans are taken leave of while servers run.
const reapEvery = 10 * time.Second

// becomeReaper makes orphans among the descendants children of this process instead of init's: only so are they known
// for what they are. It holds for the whole process, which therefore has to reap them. That is done at times rather than
// on SIGCHLD: catching signals is the program's business, and a zombie costs nothing for a while.
var becomeReaper = sync.OnceFunc(func() {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil {
		go reapAt(time.Tick(reapEvery))
	}
})

func reapAt(times <-chan time.Time) {
	for range times {
		adoptOrphans()
	}
}

// ownChildren lists the children of this process; none where the kernel does not tell, and then the dead wait to be
// reaped until the server they came from is gone.
func ownChildren() []procInfo {
	var children []procInfo
	for _, thread := range listIDs("/proc/self/task") {
		ids, _ := os.ReadFile("/proc/self/task/" + strconv.Itoa(thread) + "/children")
		for _, id := range bytes.Fields(ids) {
			if pid, err := strconv.Atoi(string(id)); err == nil {
				if p, ok := readProc(pid); ok && p.ppid == os.Getpid() {
					children = append(children, p)
				}
			}
		}
	}
	return children
}

// adoptOrphans finds the tree of each orphan that fell to this process, and reaps what is dead of the others.
func adoptOrphans() {
	leaders := map[int]bool{}
	processes := livingProcesses()
	for _, p := range processes {
		leaders[p.Pid()] = true
	}
	var unclaimed []procInfo
	for _, child := range ownChildren() {
		if leaders[child.pid] {
			continue
		}
		env := sync.OnceValue(func() []byte { return environ(child.pid) })
		claimed := slices.ContainsFunc(processes, func(p *Process) bool { return p.tree.adopt(child, env) })
		if !claimed && !child.alive() {
			unclaimed = append(unclaimed, child)
		}
	}
	if len(unclaimed) > 0 {
		reapUnheld(unclaimed)
	}
}

// reapUnheld reaps dead children of this process that nobody here waits for: orphans that died before anyone looked.
// Whoever starts a process with package os holds a descriptor of it until it has waited; where os does not do that,
// which shows in a process of its making, nothing is reaped.
func reapUnheld(dead []procInfo) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return
	}
	defer self.Release()
	if held := heldProcesses(); held[self.Pid] {
		reap(slices.DeleteFunc(dead, func(p procInfo) bool { return held[p.pid] }))
	}
}

// heldProcesses lists the processes that this one holds a descriptor of.
func heldProcesses() map[int]bool {
	held := map[int]bool{}
	for _, fd := range listIDs("/proc/self/fdinfo") {
		info, _ := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(fd))
		for line := range bytes.Lines(info) {
			if id, ok := bytes.CutPrefix(line, []byte("Pid:")); ok {
				if pid, err := strconv.Atoi(string(bytes.TrimSpace(id))); err == nil {
					held[pid] = true
				}
			}
		}
	}
	return held
}
