package nvrtc

import (
	"slices"
	"testing"
)

func TestAccesses(t *testing.T) {
	const text = `
.visible .entry first(
	.param .u64 first_param_0
)
.maxntid 64, 1, 1
{
	.shared .align 16 .b8 buf[64];
	ld.param.u64 	%rd1, [first_param_0];
	ld.global.nc.f32 	%f1, [%rd2];
	ld.global.nc.v4.f32 	{%f2, %f3, %f4, %f5}, [%rd2+16];
	ld.global.nc.v4.f32 	{%f2, %f3, %f4, %f5}, [%rd2+32];
	@%p1 ld.global.v2.b32 	{%r1, %r2}, [%rd3];
	ld.global.L1::evict_last.v2.b32 	{%r1, %r2}, [%rd3];
	st.shared.v4.b32 	[%r4], {%r5, %r6, %r7, %r8};
	cp.async.ca.shared.global [%r1], [%rd1], 4;
	@%p2 cp.async.cg.shared.global [%r1], [%rd1], 16;
	ret;
}
	// ld.global.f32 in a comment
.entry second(
{
	ld.local.u8 	%rs1, [%rd2];
	st.volatile.global.f64 	[%rd2], %fd1;
}
`
	want := []Access{
		{"first", "cp", "global", 16, 1},
		{"first", "cp", "global", 4, 1},
		{"first", "ld", "global", 16, 2},
		{"first", "ld", "global", 8, 2},
		{"first", "ld", "global", 4, 1},
		{"first", "st", "shared", 16, 1},
		{"second", "st", "global", 8, 1},
		{"second", "ld", "local", 1, 1},
	}
	if got := Accesses(text); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
