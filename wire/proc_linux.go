package wire

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// procInfo is what /proc says of a process.
type procInfo struct {
	pid, ppid, group int
	state            byte
	start            uint64 // in clock ticks since boot
}

// procKey tells a process from another that got the same id later.
type procKey struct {
	pid   int
	start uint64
}

func (p procInfo) key() procKey { return procKey{p.pid, p.start} }

func (p procInfo) alive() bool { return p.state != 'Z' && p.state != 'X' }

// readProcs reads the table of processes. Those that come and go meanwhile may or may not be in it.
func readProcs() map[int]procInfo {
	table := map[int]procInfo{}
	var buf [1024]byte
	for _, pid := range listIDs("/proc") {
		if p, ok := readProcInto(pid, buf[:]); ok {
			table[pid] = p
		}
	}
	return table
}

// listIDs returns the numbers among the names in a folder of /proc.
func listIDs(dir string) []int {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	var ids []int
	for _, name := range names {
		if id, err := strconv.Atoi(name); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func readProc(pid int) (procInfo, bool) {
	var buf [1024]byte
	return readProcInto(pid, buf[:])
}

// readProcInto reads what /proc tells of pid through buf. The calls are made directly: package os makes twice as many.
func readProcInto(pid int, buf []byte) (procInfo, bool) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return procInfo{}, false
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return procInfo{}, false
	}
	stat := buf[:n]
	// The second field is the program's name in parentheses, and may hold any byte.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return procInfo{}, false
	}
	p := procInfo{pid: pid, state: fields[0][0]}
	var errs [3]error
	p.ppid, errs[0] = strconv.Atoi(string(fields[1]))
	p.group, errs[1] = strconv.Atoi(string(fields[2]))
	p.start, errs[2] = strconv.ParseUint(string(fields[19]), 10, 64)
	return p, errors.Join(errs[:]...) == nil
}

// signalExactly signals p and nobody who got its id later. It returns a descriptor that becomes readable when p is
// dead, or -1.
func signalExactly(p procInfo, sig unix.Signal) (fd int) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil && !errors.Is(err, unix.ENOSYS) {
		return -1
	}
	if now, ok := readProc(p.pid); !ok || now.start != p.start {
		if err == nil {
			unix.Close(fd)
		}
		return -1
	}
	if err != nil { // Linux before 5.3
		_ = unix.Kill(p.pid, sig)
		return -1
	}
	_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	return fd
}

// killAll kills processes and waits until they are dead, a tenth of a second at most: they are looked for again anyway.
func killAll(procs []procInfo, deadline time.Time) {
	var waiting []unix.PollFd
	for _, p := range procs {
		if fd := signalExactly(p, unix.SIGKILL); fd >= 0 {
			waiting = append(waiting, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
	}
	if len(waiting) == 0 {
		time.Sleep(time.Millisecond) // they went by themselves, or cannot be waited for
		return
	}
	if soon := time.Now().Add(100 * time.Millisecond); soon.Before(deadline) {
		deadline = soon
	}
	for _, w := range waiting {
		for one := []unix.PollFd{w}; ; {
			_, err := unix.Poll(one, int(max(0, time.Until(deadline).Milliseconds())))
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		unix.Close(int(w.Fd))
	}
}

// reap takes leave of dead children of this process.
func reap(dead []procInfo) {
	for _, p := range dead {
		_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
	}
}
