package compile

import "sync"

// memoryCache is a cache of compiled kernels in memory.
type memoryCache struct{ list sync.Map }

func (c *memoryCache) Get(key [32]byte) []byte {
	object, _ := c.list.Load(key)
	data, _ := object.([]byte)
	return data
}

func (c *memoryCache) Put(key [32]byte, object []byte) { c.list.Store(key, object) }
