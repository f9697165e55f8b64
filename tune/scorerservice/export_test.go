package scorerservice

import "time"

// EndAfter ends the time of a command that has greeted, as CommandOptions.Until does: what a busy machine takes to
// start it does not count.
func (c *Command) EndAfter(d time.Duration) {
	c.opt.Until = time.Now().Add(d)
	c.process.until = c.opt.Until
}
