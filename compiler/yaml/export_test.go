package yaml

// ReadOwn is the way of what FromJSON wrote.
var ReadOwn = readOwn
