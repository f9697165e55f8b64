package run

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/wmtune/wmtune/dataset/measure"
)

// outOfMemory begins what the run-time says before it gives up.
const outOfMemory = "wmtune: out of memory"

// judge turns the death of a worker into the status of the candidate that it was
// working on.
func judge(d *deathError, s *signature, spans []span) (measure.Status, string) {
	if line := lineWith(d.Words, outOfMemory); line != "" {
		return measure.OutOfMemory, strings.TrimPrefix(line, outOfMemory+": ")
	}
	if d.Garbled != nil {
		return measure.Crash, "the program garbled its worker's answer: " + d.Garbled.Error()
	}
	if d.page.noMemory != 0 {
		return measure.OutOfMemory, d.How() + " with no memory left"
	}
	if !d.Status.Signaled() {
		text := fmt.Sprintf("the program ended its process with %s", d.How())
		if line, _, _ := strings.Cut(d.Words, "\n"); line != "" {
			text += ": " + line
		}
		return measure.Crash, text
	}
	text := d.How()
	switch d.Status.Signal() {
	case syscall.SIGSEGV, syscall.SIGBUS:
		if d.page.signal != 0 {
			text += ": " + faultText(&d.page, s, spans)
		}
	case syscall.SIGILL, syscall.SIGFPE, syscall.SIGTRAP:
		if d.page.signal != 0 {
			text += fmt.Sprintf(" at instruction %#x", d.page.pc)
		}
	case syscall.SIGKILL:
		text += ": killed from outside, perhaps because the machine has no memory left"
	}
	return measure.Crash, text
}

// faultText says what a faulting access touched.
func faultText(p *statusPage, s *signature, spans []span) string {
	verb := "reads"
	if p.errCode&2 != 0 {
		verb = "writes"
	}
	if p.code == siKernel { // a misaligned vector access or a non-canonical address
		return "an address that is misaligned or cannot exist"
	}
	if p.addr == p.pc {
		return fmt.Sprintf("jumps to %#x", p.addr)
	}
	for _, sp := range spans {
		if p.addr < sp.Low || p.addr >= sp.High {
			continue
		}
		t, kind := s.Tensors[sp.Tensor], "input"
		if sp.Tensor >= len(s.inputs()) {
			kind = "output"
		}
		switch {
		case p.addr < sp.Start:
			return fmt.Sprintf("%s %d bytes before the start of %s %s", verb, sp.Start-p.addr, kind, t.Name)
		case p.addr >= sp.Stop:
			return fmt.Sprintf("%s %d bytes after the end of %s %s", verb, p.addr-sp.Stop, kind, t.Name)
		}
		return fmt.Sprintf("%s %s %s[%s]", verb, kind, t.Name,
			indexText(int64(p.addr-sp.Start)/int64(t.Type.Bytes()), t.Shape))
	}
	if p.addr+stackSlack >= p.sp && p.addr < p.sp+stackSlack {
		return fmt.Sprintf("%s %#x: the stack is exhausted", verb, p.addr)
	}
	return fmt.Sprintf("%s address %#x", verb, p.addr)
}

const (
	siKernel   = 0x80     // si_code of a general protection fault
	stackSlack = 64 << 10 // between the stack pointer and an access that overflows the stack
)

// lineWith returns the first line of text that starts with a prefix.
func lineWith(text, prefix string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// killedOutside reports whether a worker died of a signal that no program sends
// itself by accident.
func killedOutside(d *deathError) bool { return d.Killed() && d.page.signal == 0 }
