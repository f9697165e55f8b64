// Package ansor reads and writes the tuning logs of TVM's AutoScheduler: JSON
// lines of format v0.2 to v0.6, plain or compressed with gzip or zstd.
//
//	{"i": [["[\"f3351bf9...\", [128, 512], [512, 256], [128, 256]]", "llvm -keys=cpu -mcpu=core-avx2",
//	        [8, 64, 64, 0, 0, 0, 0, 0], "", 2, []],
//	       [[], [["SP", 2, 0, 128, [4, 1, 8], 1], ...]]],
//	 "r": [[0.000238006, 0.000235502], 0, 0.219506, 1606961782], "v": "v0.6"}
//
// A Reader gives the lines of a file, an Importer makes records of them, and a
// Line made of a record is the line that AutoScheduler would have written
// (upstream: src/auto_scheduler/measure_record.cc of TVM 0.7 to 0.19).
//
// A log holds no program, but the hash of its compute DAG's text, which tir/op
// knows how to build again. The package must not know how records are measured.
package ansor
