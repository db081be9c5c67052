package gate

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/wording"
)

// home is what the server may speak of: its tools, and its hosts. A host is the server's when somebody else says so: it is of the domain that the
// server was reached at, or of one that its command line names. What the server's name or its own word makes its host is claimed: anybody can
// give a server a name.
func (v *survey) home() wording.Home {
	tools := map[string]bool{}
	for _, it := range v.Tools() {
		tools[strings.ToLower(it.Name)] = true
	}
	reached, claimed := v.reachedDomains(), v.claimedDomains()
	names := v.claimedNames()
	return wording.Home{
		Tool: func(name string) bool { return tools[name] },
		Host: func(host string) bool {
			domain := registrable(host)
			return documentation[domain] || documentation[host] || reached[domain]
		},
		Claims: func(host string) bool {
			domain := registrable(host)
			label, _, _ := strings.Cut(domain, ".")
			return claimed[domain] || names[strings.ReplaceAll(label, "-", "")]
		},
	}
}

// reachedDomains are those of the address that the server was reached at, and of addresses in its command line.
func (v *survey) reachedDomains() map[string]bool {
	domains := map[string]bool{}
	for _, address := range append([]string{v.Endpoint}, v.options.Command...) {
		addDomain(domains, address)
	}
	return domains
}

func (v *survey) claimedDomains() map[string]bool {
	domains := map[string]bool{}
	addDomain(domains, v.Server.Get("websiteUrl").Text())
	return domains
}

func addDomain(domains map[string]bool, address string) {
	if _, after, found := strings.Cut(address, "://"); !found || after == "" {
		return
	}
	if i := strings.Index(address, "https://"); i > 0 { // git+https, or behind a flag
		address = address[i:]
	}
	if u, err := url.Parse(address); err == nil && strings.Contains(u.Hostname(), ".") {
		domains[registrable(strings.ToLower(u.Hostname()))] = true
	}
}

// claimedNames are the words of the configured name, of the name that the server gives itself, and of the package that it is started from, each
// alone and all of one name together. A domain has to be called by just one of them: "weather" claims weather.dev and not weather.attacker.io.
func (v *survey) claimedNames() map[string]bool {
	names := map[string]bool{}
	for _, name := range append([]string{v.options.Server, v.ServerName()}, v.options.Command...) {
		if strings.Contains(name, "://") || name == "" || strings.IndexByte("-/.~$", name[0]) >= 0 {
			continue
		}
		words := slices.DeleteFunc(air.Words(name), func(word string) bool { return commonLabels[word] })
		for _, word := range append(words, strings.Join(words, "")) {
			if len(word) >= minDomainWord {
				names[word] = true
			}
		}
	}
	return names
}

// minDomainWord is the least length of a word that claims a domain.
const minDomainWord = 3

var commonLabels = wordSet(`www api apis app apps com org net dev mcp server docs doc developer developers data cloud web site
	the my test tool tools client service code npx uvx node python docker run exec dlx bunx pipx uv npm pnpm`)

// documentation are hosts that standards, packages and their documentation are read at. Where anybody has a host of their own below the domain, that
// is none.
var documentation = wordSet(`github.com raw.githubusercontent.com gitlab.com modelcontextprotocol.io json-schema.org schema.org w3.org ietf.org
	rfc-editor.org iana.org iso.org unicode.org wikipedia.org mozilla.org npmjs.com npmjs.org pypi.org python.org nodejs.org
	golang.org go.dev spdx.org owasp.org cve.org stackoverflow.com semver.org openapis.org
	swagger.io graphql.org`)

// registrable returns the domain that somebody registered for the host: one label more than the public suffix that it ends in. An address stays
// as it is.
func registrable(host string) string {
	host = strings.TrimSuffix(host, ".")
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	labels := strings.Split(host, ".")
	for keep := min(len(labels), 4); keep > 2; keep-- {
		if publicSuffixes[strings.Join(labels[len(labels)-keep+1:], ".")] {
			return strings.Join(labels[len(labels)-keep:], ".")
		}
	}
	n := len(labels)
	if n > 2 && len(labels[n-1]) == 2 && secondLevel[labels[n-2]] { // co.uk, com.au
		return strings.Join(labels[n-3:], ".")
	}
	return strings.Join(labels[max(0, n-2):], ".")
}

// publicSuffixes are domains of several labels below which anybody has one, of the widely used ones (publicsuffix.org lists all).
// secondLevel are labels that countries give their domains out under.
var (
	publicSuffixes = wordSet(`github.io githubusercontent.com gitlab.io readthedocs.io vercel.app netlify.app pages.dev workers.dev r2.dev
		herokuapp.com azurewebsites.net azurecontainerapps.io azure-api.net azurefd.net azureedge.net blob.core.windows.net cloudapp.azure.com
		cloudfront.net amazonaws.com s3.amazonaws.com elb.amazonaws.com on.aws awsapprunner.com elasticbeanstalk.com amplifyapp.com
		web.app firebaseapp.com run.app a.run.app appspot.com cloudfunctions.net translate.goog fly.dev onrender.com railway.app up.railway.app
		ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt serveo.net glitch.me repl.co replit.app replit.dev
		surge.sh blogspot.com wordpress.com deno.dev deno.net pythonanywhere.com gitbook.io notion.site wixsite.com myshopify.com hf.space
		streamlit.app modal.run supabase.co convex.cloud bubbleapps.io webflow.io framer.app duckdns.org no-ip.org dyndns.org
		ondigitalocean.app digitaloceanspaces.com koyeb.app cyclic.app lovable.app val.run pipedream.net oast.fun oast.pro interact.sh`)
	secondLevel = wordSet(`co com org net gov edu ac or ne go gob gouv mil ltd plc me nom id in web info`)
)
