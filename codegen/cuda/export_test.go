package cuda

// DeviceOnly returns the helpers that no other compiler reads.
func DeviceOnly() []string {
	var list []string
	for _, h := range helpers {
		if h.name == "half_to_float" || h.name == "float_to_half" {
			list = append(list, h.text)
		}
	}
	return list
}
