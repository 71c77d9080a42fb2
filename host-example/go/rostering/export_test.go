package rostering

import "time"

// PluginError lets a test read error texts that the plugin would never give.
var PluginError = pluginError

// SetTimeout changes a client's time-out between calls, so that a test need not
// hold its other calls to a short one.
func SetTimeout(client any, d time.Duration) {
	switch c := client.(type) {
	case *Client:
		c.timeout = d
	case *Driver:
		c.timeout = d
	case *Pool:
		c.timeout = d
	}
}

// SetClock changes the clock of a driver or a pool between calls.
func (d *driven) SetClock(clock func() time.Time) {
	for _, driver := range d.drivers {
		driver.clock = clock
	}
}

// CallDirectly makes a call whose requests the plugin would send itself.
func (d *driven) CallDirectly(export string) error {
	_, err := d.drivers[0].plugin.Call(export, nil)
	return err
}

// UnderWay tells how many calls are under way on each instance.
func (d *driven) UnderWay() (calls []int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, driver := range d.drivers {
		calls = append(calls, driver.busy)
	}
	return calls
}
