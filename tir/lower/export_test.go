package lower

// PassNames lists the passes in order.
func PassNames() []string {
	var list []string
	for _, p := range passes {
		list = append(list, p.name)
	}
	return list
}
