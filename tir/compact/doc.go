// Package compact prints TensorIR functions as short text for models to read:
// one loop a line, types only where a buffer is declared, and no names but those
// that the order of first use gives. Programs that differ in names, in loops of
// one iteration, or in where an allocation ends have one text, so its hash identifies a state.
//
//	b0 f32[2^7,2^5]
//	b1 f32[2^5,2^6]
//	out b2 f32[2^7,2^6]
//	parallel l0 2^4
//	 for l1 2^3
//	  vector l2 2^6
//	   b2[l0*2^3+l1,l2]=0.0
//	  for l3 2^5
//	   vector l4 2^6
//	    b2[l0*2^3+l1,l4]=b2[l0*2^3+l1,l4]+b0[l0*2^3+l1,l3]*b1[l3,l4]
//
// Numbers are products of prime powers: 448 and 896 share all but one digit. //
// and % round toward minus infinity.
//
// The package must not know where functions come from (tir/lower), nor what reads
// the text.
package compact
