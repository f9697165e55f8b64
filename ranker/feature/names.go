package feature

import "fmt"

// The sizes of a row.
const (
	Columns  = 164
	maxBufs  = 5  // buffers of a statement that have columns
	samples  = 10 // of the curve of arithmetic intensity
	bufWidth = 18
)

// Names returns the names of the columns, as in TVM.
func Names() []string {
	names := []string{
		"float_mad", "float_addsub", "float_mul", "float_divmod", "float_cmp", "float_mathfunc", "float_otherfunc",
		"int_mad", "int_addsub", "int_mul", "int_divmod", "int_cmp", "int_mathfunc", "int_otherfunc",
		"bool_op", "select_op",
	}
	positions := []string{
		"kPosNone", "kPosInnerSpatial", "kPosMiddleSpatial", "kPosOuterSpatial",
		"kPosInnerReduce", "kPosMiddleReduce", "kPosOuterReduce", "kPosMixed",
	}
	for _, loop := range []string{"vec", "unroll", "parallel"} {
		names = append(names, loop+"_num", loop+"_prod", loop+"_len")
		for _, p := range positions {
			names = append(names, loop+"_type."+p)
		}
	}
	names = append(names, "is_gpu",
		"blockIdx_x_len", "blockIdx_y_len", "blockIdx_z_len",
		"threadIdx_x_len", "threadIdx_y_len", "threadIdx_z_len", "vthread_len")
	for b := range maxBufs {
		for _, n := range []string{
			"acc_type.kRead", "acc_type.kWrite", "acc_type.kReadWrite",
			"bytes", "unique_bytes", "lines", "unique_lines",
			"reuse_type.kLoopMultipleRead", "reuse_type.kSerialMultipleReadWrite", "reuse_type.kNoReuse",
			"reuse_dis_iter", "reuse_dis_bytes", "reuse_ct",
			"bytes_d_reuse_ct", "unique_bytes_d_reuse_ct", "lines_d_reuse_ct", "unique_lines_d_reuse_ct",
			"stride",
		} {
			names = append(names, fmt.Sprintf("B%d.%s", b, n))
		}
	}
	for i := range samples {
		names = append(names, fmt.Sprintf("arith_intensity_curve_%d", i))
	}
	return append(names, "alloc_size", "alloc_prod", "alloc_outer_prod", "alloc_inner_prod",
		"outer_prod", "num_loops", "auto_unroll_max_step")
}
