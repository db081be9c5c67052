package air

// Auth is how callers prove to the server who they are, as far as its configuration shows. A captured surface says nothing of it.
type Auth struct {
	Type         AuthType     `json:"type"`
	Carriers     []Carrier    `json:"carriers,omitempty"` // sorted; names only, never a value
	SecretSource SecretSource `json:"secretSource"`
}

// AuthType is the kind of proof.
type AuthType string

// The kinds of proof.
const (
	AuthUnknown      AuthType = "unknown" // nobody said
	AuthNone         AuthType = "none"    // the configuration gives the server nothing secret
	AuthAPIKey       AuthType = "api_key" // one value in a header or query made for it
	AuthBasic        AuthType = "basic"
	AuthBearer       AuthType = "bearer"        // "Authorization: Bearer", wherever the token comes from
	AuthCustomHeader AuthType = "custom_header" // headers of the server's own
	AuthEnvironment  AuthType = "environment"   // variables that the server's process is started with
)

// Carrier is where a proof travels.
type Carrier struct {
	In   CarrierPlace `json:"in"`
	Name string       `json:"name"` // of the header, query key or variable
}

// CarrierPlace is a part of a request, or of the way a server is started.
type CarrierPlace string

// The places.
const (
	CarrierHeader      CarrierPlace = "header"
	CarrierQuery       CarrierPlace = "query"
	CarrierEnvironment CarrierPlace = "environment"
)

// SecretSource is where the secret is kept.
type SecretSource string

// The sources of secrets.
const (
	SecretUnknown SecretSource = "unknown"
	SecretNone    SecretSource = "none"    // there is none
	SecretEnv     SecretSource = "env"     // a variable where anvil runs
	SecretConfig  SecretSource = "config"  // the configuration file, written out
	SecretKeyring SecretSource = "keyring" // the keyring of the machine
)
