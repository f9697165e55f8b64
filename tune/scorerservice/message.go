// Package scorerservice lets scorers and tuners of other programs talk to wmtune's: a tuner
// sends messages, a scorer answers them, over the standard input and output of a process.
// Serve is the side of the scorer: any program that tunes has its candidates ranked by one
// of wmtune's. Command is the side of the tuner: a command that somebody wrote ranks the
// candidates of a search. docs/manual/scorer-protocol.md has the messages.
//
// It must not know how candidates are searched or measured, nor which scorers there are.
package scorerservice

import (
	"encoding/json"
	"fmt"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/metaschedule"
)

// Version is that of the protocol. It changes when a message means something else; fields and
// messages may be added within a version.
const Version = 1

// The types of messages.
const (
	typeHello   = "hello"
	typeOpen    = "open"
	typeScore   = "score"
	typeUpdate  = "update"
	typeExplain = "explain"
	typeTraces  = "traces"
	typeClose   = "close"
	typeCancel  = "cancel"
)

// Features is what a scorer may want of candidates besides their steps: the numbers of
// ranker.Features.
const Features = "features"

// A Hello begins: the versions that the tuner speaks, and who it is.
type Hello struct {
	Type     string `json:"type"`
	Versions []int  `json:"versions"`
	Client   string `json:"client,omitempty"`
}

// A HelloAnswer says which version both speak, and what the scorer is like.
type HelloAnswer struct {
	Answer
	Version   int      `json:"version"`
	Server    string   `json:"server,omitempty"`
	Scorer    string   `json:"scorer,omitempty"`
	Frozen    bool     `json:"frozen,omitempty"`    // no measurement turns its order around (search.Traits)
	Untrained bool     `json:"untrained,omitempty"` // its scores mean nothing yet (search.Traits)
	Explains  bool     `json:"explains,omitempty"`
	Wants     []string `json:"wants,omitempty"`
	Limits    *Limits  `json:"limits,omitempty"`
}

// Limits are what a scorer takes at most.
type Limits struct {
	MessageBytes int `json:"message_bytes,omitempty"` // of a header, and of a blob
	Candidates   int `json:"candidates,omitempty"`    // in one message
	Tasks        int `json:"tasks,omitempty"`         // open at once
	Waiting      int `json:"waiting,omitempty"`       // requests that are not answered
}

// An Open opens a task: of a workload, or of a module of TVM, whose candidates are traces of MetaSchedule.
type Open struct {
	Type      string              `json:"type"`
	Workload  string              `json:"workload,omitempty"`
	Module    string              `json:"module,omitempty"` // as tvm.ir.save_json writes it
	DAG       string              `json:"dag,omitempty"`
	FLOPs     float64             `json:"flops,omitempty"`
	Target    *dataset.TargetJSON `json:"target,omitempty"`
	TVMTarget json.RawMessage     `json:"tvm_target,omitempty"` // instead of Target: as TVM writes it
	Features  []string            `json:"features,omitempty"`
}

// An OpenAnswer names a task that was opened, and says what it is.
type OpenAnswer struct {
	Answer
	Task        uint64              `json:"task"`
	Workload    string              `json:"workload,omitempty"`
	WorkloadKey string              `json:"workload_key,omitempty"`
	DAG         string              `json:"dag,omitempty"`
	FLOPs       float64             `json:"flops,omitempty"`
	Stages      []string            `json:"stages,omitempty"`
	Indices     map[string][2]int64 `json:"indices,omitempty"` // of inputs, as codegen/run.Indices
	Target      *dataset.TargetJSON `json:"target,omitempty"`
	TargetText  string              `json:"target_text,omitempty"`
}

// A Score asks for the scores of candidates. A blob holds their features, if the scorer wants them.
type Score struct {
	Type       string            `json:"type"`
	Task       uint64            `json:"task"`
	Candidates []json.RawMessage `json:"candidates"`
}

// A ScoreAnswer comes with a blob: one float64 a candidate.
type ScoreAnswer struct {
	Answer
	Failed int              `json:"failed,omitempty"`
	Errors []CandidateError `json:"errors,omitempty"`
}

// A CandidateError says why a candidate has no score.
type CandidateError struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

// An Update gives a scorer measured records to learn from. A blob holds their features, if the scorer wants them.
type Update struct {
	Type    string   `json:"type"`
	Task    uint64   `json:"task"`
	Records []Record `json:"records"`
}

// A Record is a measured candidate.
type Record struct {
	Steps   json.RawMessage `json:"steps"`
	Status  string          `json:"status"`
	Message string          `json:"message,omitempty"`
	CostsUS []float64       `json:"costs_us,omitempty"`
	Layout  string          `json:"layout,omitempty"`
	Packed  string          `json:"packed,omitempty"`
}

// An UpdateAnswer says how many records the scorer has taken.
type UpdateAnswer struct {
	Answer
	Learned   int              `json:"learned"`
	Untrained bool             `json:"untrained,omitempty"`
	Errors    []CandidateError `json:"errors,omitempty"`
}

// An Explain asks what the score of a candidate is made of, beside others.
type Explain struct {
	Type      string            `json:"type"`
	Task      uint64            `json:"task"`
	Candidate json.RawMessage   `json:"candidate"`
	Beside    []json.RawMessage `json:"beside,omitempty"`
	Nearest   int               `json:"nearest,omitempty"`
}

// An ExplainAnswer says it: what `wmtune show --why` prints.
type ExplainAnswer struct {
	Answer
	Score     float64     `json:"score"`
	Better    int         `json:"better"`
	Of        int         `json:"of"`
	Actions   []Action    `json:"actions,omitempty"`
	Nearest   []Neighbour `json:"nearest,omitempty"`
	NearestBy string      `json:"nearest_by,omitempty"`
}

// An Action is a step, and what it adds to the score.
type Action struct {
	Action       string  `json:"action"`
	Contribution float64 `json:"contribution"`
}

// A Neighbour is one of the other candidates.
type Neighbour struct {
	Index    int     `json:"index"`
	Distance float64 `json:"distance"`
	Score    float64 `json:"score"`
}

// A Traces asks for traces of MetaSchedule that make the loops of steps, in a task of a module.
type Traces struct {
	Type       string            `json:"type"`
	Task       uint64            `json:"task"`
	Candidates []json.RawMessage `json:"candidates"`
}

// A TracesAnswer has a trace for each candidate, nil where there is none.
type TracesAnswer struct {
	Answer
	Traces []*metaschedule.Trace `json:"traces"`
	Failed int                   `json:"failed,omitempty"`
	Errors []CandidateError      `json:"errors,omitempty"`
}

// A Close closes a task.
type Close struct {
	Type string `json:"type"`
	Task uint64 `json:"task"`
}

// A Cancel stops a request that is not answered.
type Cancel struct {
	Type    string `json:"type"`
	Request uint64 `json:"request"`
}

// A CancelAnswer says whether there was such a request. The request has an answer of its own.
type CancelAnswer struct {
	Answer
	Cancelled bool `json:"cancelled"`
}

// An Answer is what every answer may hold.
type Answer struct {
	Error *Error   `json:"error,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

func (a *Answer) answer() *Answer { return a }

// An Error is why a request was not carried out.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

// A Code tells errors apart.
type Code string

// The codes.
const (
	BadMessage  Code = "bad_message"
	UnknownType Code = "unknown_type"
	NoVersion   Code = "no_version"
	NoHello     Code = "no_hello"
	NoTask      Code = "no_task"
	BadTask     Code = "bad_task"
	TooLarge    Code = "too_large"
	Busy        Code = "busy"
	Cancelled   Code = "cancelled"
	Unsupported Code = "unsupported"
	Failed      Code = "failed"
)

// Codes lists the codes, as docs/manual/scorer-protocol.md does.
var Codes = []Code{BadMessage, UnknownType, NoVersion, NoHello, NoTask, BadTask, TooLarge, Busy, Cancelled,
	Unsupported, Failed}

func errorf(code Code, format string, args ...any) *Error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// limits are those of Serve, and of what Command sends.
var limits = Limits{MessageBytes: 64 << 20, Candidates: 1 << 16, Tasks: 64, Waiting: 16}

// requestBounds are those of requests.
var requestBounds = worker.Bounds{Header: uint64(limits.MessageBytes), Blob: uint64(limits.MessageBytes), Blobs: 4}
