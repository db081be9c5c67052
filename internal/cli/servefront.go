package cli

import (
	"fmt"
	"net"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/diag"
	"anvil/facade"
	"anvil/facade/access"
	"anvil/internal/config"
)

// front is who may call a served pack over HTTP, and how often.
type front struct {
	facade.Front
	rate int // requests a second of one caller; 0 for the default
}

func frontFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "tokens", Usage: "with --http: serve callers whose bearer token is in `FILE`, a YAML list of {name, sha256, expires} (default: facade.tokens of the configuration)"},
		&cli.StringFlag{Name: "issuer", Usage: "with --http: serve callers with a JWT of the issuer `URL` (default: facade.issuer)"},
		&cli.StringFlag{Name: "audience", Usage: "what the JWTs of --issuer have to be for, `AUD`: the URL by which clients reach this server (default: facade.audience)"},
		&cli.StringSliceFlag{Name: "allow-host", Usage: "a `NAME` of this machine that the headers Host and Origin may have (default: facade.allowHosts)"},
		&cli.IntFlag{Name: "rate", Usage: "how many requests a second one caller may make, `N` (default: facade.rate, or 100)"},
	}
}

// front reads who may call, from the line and, where that does not say, from the configuration. Over stdio it is the parent of the process.
func (sh *shell) front(c *cli.Context, log func(string)) (front, error) {
	if !c.IsSet("http") {
		for _, name := range []string{"tokens", "issuer", "audience", "allow-host", "rate"} {
			if c.IsSet(name) {
				return front{}, usagef("--%s is about callers over HTTP: add --http ADDRESS, or leave it out", name)
			}
		}
		return front{}, nil
	}
	said, err := sh.frontSaid(c)
	if err != nil {
		return front{}, err
	}
	f := front{Front: facade.Front{Hosts: said.Hosts, Issuer: said.Issuer, Audience: said.Audience}, rate: said.Rate}
	if err := checkListen(c.String("http"), said.tokens != "" || said.Issuer != ""); err != nil {
		return f, err
	}
	switch {
	case said.tokens != "" && said.Issuer != "":
		return f, usagef("--tokens and --issuer exclude each other: who is named alike in both would be one caller")
	case said.tokens != "":
		f.Callers, err = access.OpenTokens(said.tokens, sh.now, log)
	case said.Issuer != "":
		f.Callers, err = access.NewIssuer(access.IssuerOptions{URL: said.Issuer, Audience: said.Audience, Now: sh.now, Log: log})
	case said.Audience != "":
		err = usagef("an audience is for the JWTs of an issuer: add --issuer URL, or leave it out")
	case len(f.Hosts) > 0:
		err = usagef("a name beside those of loopback lets others in, and there is no authentication: add --tokens FILE or --issuer URL --audience AUD")
	}
	if err == nil && !access.IsLoopback(c.String("http")) {
		log("tokens cross the network in clear unless a proxy that speaks TLS stands in front: see docs/security.md")
	}
	return f, usage(err)
}

// saidFront is what the line and the configuration say.
type saidFront struct {
	config.Front
	tokens string
}

func (sh *shell) frontSaid(c *cli.Context) (said saidFront, err error) {
	file, err := sh.loadConfig(c)
	if err != nil {
		return said, err
	}
	asked := c.IsSet("tokens") || c.IsSet("issuer")
	if file != nil {
		said.Front = file.Front
		if asked {
			said.Issuer = ""
		} else if said.tokens, err = file.FacadeTokens(); err != nil {
			return said, usage(err)
		}
		if c.IsSet("tokens") {
			said.Audience = ""
		}
	}
	for name, into := range map[string]*string{"tokens": &said.tokens, "issuer": &said.Issuer, "audience": &said.Audience} {
		if !c.IsSet(name) {
			continue
		}
		if *into = c.String(name); !diag.Legible(*into) {
			return said, usagef("--%s is empty: give one, or leave it out", name)
		}
	}
	if c.IsSet("allow-host") {
		said.Hosts = c.StringSlice("allow-host")
	}
	for _, name := range said.Hosts {
		if name == "" || access.Host(name) != name {
			return said, usagef("the host %q is no name: write it without scheme and port, such as tools.example.com", name)
		}
	}
	if c.IsSet("rate") {
		if said.Rate = c.Int("rate"); said.Rate < 1 || said.Rate > config.MaxRate {
			return said, usage(fmt.Errorf("--rate must be a number from 1 to %d", config.MaxRate))
		}
	}
	return said, nil
}

// checkListen refuses an address that others could reach where nobody is asked who they are.
func checkListen(addr string, asked bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usagef("--http %q is no address: write HOST:PORT, such as 127.0.0.1:8080", addr)
	}
	if ip := net.ParseIP(host); !asked && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usagef("--http %q is not a loopback address, and without authentication whoever reaches it could call every approved tool; use 127.0.0.1:PORT, or say whose tokens are accepted: --tokens FILE, or --issuer URL --audience AUD", addr)
	}
	return nil
}
