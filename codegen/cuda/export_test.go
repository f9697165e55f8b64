package cuda

// DeviceOnly returns the helpers that no other compiler reads.
func DeviceOnly() []string {
	var list []string
	for _, h := range helpers {
		switch h.name {
		case "half_to_float", "float_to_half", "double_to_half", "copy_async", "wait_async",
			"mma_half", "mma_bfloat", "mma_tf32":
			list = append(list, h.text)
		}
	}
	return list
}
