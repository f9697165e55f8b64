// Package dataset keeps what was measured: the tuning log, and the views of it
// that people and programs read.
//
// A log is an Arrow IPC stream with one record batch per measured round and no
// end mark, so that it can be continued. Any reader of Arrow streams reads it:
//
//	pyarrow.ipc.open_stream(open("tuning.arrow", "rb")).read_all()
//
// A Writer appends a round, waits for the disk, and returns; what it returned
// from survives a crash. A round that was being written is cut off when the log
// is next continued, and left out with a Warning when it is read. Each batch
// carries a checksum where other readers see padding (see frame), so a damaged
// one is left out too, with a Warning, and never read as something else. One
// process writes to a log at a time; any number may read it meanwhile.
//
// The package must not know how candidates are found, built or run: a record is
// data, and reading one runs nothing.
package dataset
