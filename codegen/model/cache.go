package model

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

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

// A FolderCache is a Cache of files in a folder, which several processes may use at once.
// What cannot be read or written is compiled again.
type FolderCache string

func (c FolderCache) path(key [32]byte) string {
	return filepath.Join(string(c), fmt.Sprintf("%x.o", key))
}

// Get returns the object of a key, or nil.
func (c FolderCache) Get(key [32]byte) []byte {
	data, err := os.ReadFile(c.path(key))
	if err != nil || len(data) == 0 {
		return nil
	}
	return data
}

// Put writes the object beside its place and renames it, so that nobody reads a part.
func (c FolderCache) Put(key [32]byte, object []byte) {
	if os.MkdirAll(string(c), 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(string(c), "new-")
	if err != nil {
		return
	}
	_, err = f.Write(object)
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), c.path(key)) != nil {
		os.Remove(f.Name())
	}
}
