// Package metaschedule reads the databases of TVM's MetaSchedule: a file of workloads
// and a file of tuning records, each of JSON lines. It writes traces, too.
//
//	["14602311214578941370", "0VEAAAAAAAB7CiAgInJvb3RfaW5kZXgiOiAxODEsCiA..."]
//	[0, [[[["GetSBlock", [], ["matmul", "main"], ["b0"]], ...], [[4, [16, 2, 1, 1]], ...]],
//	     [0.00466, 0.00497], {"kind": "llvm", "mcpu": "znver3", ...}, [["TENSOR", "float32", [32, 128, 64]], ...]]]
//
// A workload is a program without a schedule, as a graph of nodes. Its blocks become the ops of
// a compute DAG. A record has a trace: the instructions that made the schedule, and
// what was decided in them. They become the steps of a state (tir/schedule), which has the
// same loops; and the steps of a state become a trace. What has no counterpart is an
// *UnmappedError.
//
// Upstream: src/s_tir/schedule, src/s_tir/meta_schedule and ffi/src/extra/json_*.cc of TVM
// 0.25 to 0.27. The package must not know how records are measured.
package metaschedule
