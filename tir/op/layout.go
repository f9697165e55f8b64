package op

// A layout says where the channels of images stand: after the spatial
// dimensions (NHWC) or before them (NCHW).
type layout uint8

const (
	channelsLast layout = iota
	channelsFirst
)

// image orders the dimensions of an image: batch, spatial, channel. It returns
// a new list.
func image[T any](l layout, batch T, spatial []T, channel T) []T {
	list := []T{batch}
	if l == channelsFirst {
		list = append(list, channel)
	}
	list = append(list, spatial...)
	if l == channelsLast {
		list = append(list, channel)
	}
	return list
}

// channel is the position of the channels in an image of the given number of
// spatial dimensions.
func (l layout) channel(spatial int) int {
	if l == channelsFirst {
		return 1
	}
	return spatial + 1
}

// reorder takes a list that has the channels last, such as axes by the style,
// to the order of the layout.
func reorder[T any](l layout, list []T) []T {
	n := len(list) - 1
	return image(l, list[0], list[1:n], list[n])
}
