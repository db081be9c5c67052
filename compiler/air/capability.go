package air

// PredicateCapability is what a claim says of the capability that an operation belongs to. No safety field follows from it.
const PredicateCapability Predicate = "capability"

// Bounds of a capability, in operations. Fewer than the ideal are no fault: a small server has few, and three that belong together are better
// reviewed by themselves than among strangers.
const (
	IdealFewest = 5  // a capability below it is joined to a neighbour where one is near in meaning
	IdealMost   = 15 // above it a reviewer loses sight: a warning
	MostMembers = 20 // above it nothing of the capability is approved without a reason
)

// CapabilityOf returns the capability that the operation is a member of.
func (d Document) CapabilityOf(operation string) (Capability, bool) {
	for _, c := range d.Capabilities {
		for _, id := range c.OperationIDs {
			if id == operation {
				return c, true
			}
		}
	}
	return Capability{}, false
}
