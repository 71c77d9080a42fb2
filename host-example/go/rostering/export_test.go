package rostering

import "time"

// PluginError lets a test read error texts that the plugin would never give.
var PluginError = pluginError

// SetTimeout changes a client's time-out between calls, so that a test need not
// hold its other calls to a short one.
func SetTimeout(c *Client, d time.Duration) { c.timeout = d }
