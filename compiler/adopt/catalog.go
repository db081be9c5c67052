package adopt

import "anvil/compiler/diag"

// Rules lists the rules of the bridge.
var Rules = diag.NewCatalog(bridgeRules...)
