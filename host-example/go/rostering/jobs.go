package rostering

import "context"

// JobsInput is what differs from the [Config] in one call.
type JobsInput struct {
	// CustomerID and UserID replace the config's, unless empty.
	CustomerID, UserID string
	// OmitCustomerID and OmitUserID leave the header out, whatever else is set.
	OmitCustomerID, OmitUserID bool
}

// Jobs lists the jobs of the config's customer and user. It gives the service's
// answer byte for byte.
func (c *Client) Jobs(ctx context.Context) ([]byte, error) {
	return c.JobsFor(ctx, JobsInput{})
}

// JobsFor is [Client.Jobs] for another customer or user.
func (c *Client) JobsFor(ctx context.Context, in JobsInput) ([]byte, error) {
	fields := map[string]any{}
	setID(fields, "customer_id", in.CustomerID, in.OmitCustomerID)
	setID(fields, "user_id", in.UserID, in.OmitUserID)
	return c.call(ctx, listJobs, fields)
}

func setID(fields map[string]any, name, id string, omit bool) {
	switch {
	case omit:
		fields[name] = nil
	case id != "":
		fields[name] = id
	}
}
