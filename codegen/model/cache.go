package model

import "sync"

// A MemoryCache is a Cache of one process.
type MemoryCache struct {
	mu      sync.Mutex
	objects map[[32]byte][]byte
}

// NewMemoryCache returns an empty cache.
func NewMemoryCache() *MemoryCache { return &MemoryCache{objects: map[[32]byte][]byte{}} }

// Get returns the object of a key, or nil.
func (c *MemoryCache) Get(key [32]byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[key]
}

// Put keeps an object.
func (c *MemoryCache) Put(key [32]byte, object []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[key] = object
}
