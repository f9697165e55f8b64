package models

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// maxSessions bounds the tasks of which something is kept.
const maxSessions = 64

// A sessionKey is a task.
type sessionKey struct {
	dag    *compute.DAG
	target string
}

func keyOf(t workload.Task) sessionKey { return sessionKey{t.DAG, t.Target.String()} }

// A session is what is known of a task.
type session struct {
	model             *Model
	task              workload.Task
	z0                []float32 // the embedding of the program without steps; nil without an encoder
	long              bool      // the encoder does not see all of the program
	asked             uint64    // Model.asked when it was last asked for
	outOfDistribution string    // why the task is unlike the training; "" if it is like it
	groups            *schedule.Groups

	mu     sync.Mutex // of roller
	roller roller     // nil: nothing can be rolled out

	kept   kept
	looked looked
}

// session returns what is known of a task, which is found out the first time.
func (m *Model) session(t workload.Task) (*session, error) {
	if t.Target.Kind != m.manifest.Kind {
		return nil, fmt.Errorf("models: the model is for target %s, the task for %s: open another model", m.manifest.Kind,
			t.Target.Kind)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := keyOf(t)
	m.asked++
	if s, ok := m.sessions[key]; ok {
		s.asked = m.asked
		return s, nil
	}
	s := &session{model: m, task: t, asked: m.asked}
	s.groups = schedule.NewGroups(t.Target.CPU, t.Target.Has, t.Target.Hardware.VectorBytes)
	if err := s.embed(); err != nil {
		return nil, err
	}
	if len(m.sessions) >= maxSessions { // the one goes that was asked for the longest time ago
		delete(m.sessions, slices.MinFunc(slices.Collect(maps.Keys(m.sessions)), func(a, b sessionKey) int {
			return cmp.Compare(m.sessions[a].asked, m.sessions[b].asked)
		}))
	}
	m.sessions[key] = s
	switch {
	case m.Tell == nil:
	case s.outOfDistribution != "":
		m.Tell(s.outOfDistribution + "; candidates are ranked by features of their steps alone")
	case s.long:
		m.Tell("the program is longer than what the encoder reads, as some were in training: it is known by its beginning " +
			"and its end")
	}
	return s, nil
}

// rolls reports whether scores depend on rollouts: they come of features alone otherwise.
func (s *session) rolls() bool { return s.roller != nil && s.model.parts.rolled }

// embed encodes the task, and sees whether it is like the training.
func (s *session) embed() error {
	p := &s.model.parts
	if p.encoder != nil {
		text, err := ProgramText(s.task.DAG)
		if err != nil {
			return err
		}
		z, err := p.encoder.Encode([]string{text})
		if err != nil {
			return fmt.Errorf("models: the encoder: %w", err)
		}
		if len(z) != 1 || !finite(z[0]) {
			return errors.New("models: the embedding of the program is not a number: the encoder is damaged")
		}
		s.z0, s.long = z[0], p.encoder.Truncated(text)
	}
	s.outOfDistribution = s.model.manifest.OOD.outOfDistribution(s.task.DAG, s.z0)
	if s.outOfDistribution == "" && p.transition != nil {
		s.roller = p.transition.newRoller(s.z0, s.task, s.model.Workers)
	}
	return nil
}
