// Package search tunes a task: round after round it proposes candidates, has
// them built and run, and learns from the records. It knows scorers, builders
// and runners only as the interfaces that it declares.
//
// It must not print, write files, read the environment or a clock, or know how
// programs are compiled. What happens is told through the callbacks of Options;
// time comes from a clock that is passed in. The same seed gives the same
// candidates whatever the number of workers.
package search
