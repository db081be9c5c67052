package config

import (
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Front is who may call a served pack over HTTP. That is for who runs a facade to say, so it goes into no pack.
type Front struct {
	Issuer, Audience string   // of the JWTs that are accepted; "" for none
	Hosts            []string // names of the machine beside those of loopback
	Rate             int      // requests a second of one caller; 0 where the file does not say

	tokens string // as it is written
}

// FacadeTokens returns the file of bearer tokens, facade.tokens, as FacadeState does.
func (f *File) FacadeTokens() (string, error) { return f.located("facade.tokens", f.Front.tokens) }

// readFront reads a key of the section facade that is about callers; known is false for another one.
func (f *File) readFront(key string, value *canon.Node, at string) (known bool, err error) {
	text, isText := value.Str()
	isText = isText && diag.Legible(text)
	switch key {
	case "tokens":
		if f.Front.tokens = text; !isText {
			return true, f.problem(at, "facade.tokens must be the path of a file of bearer tokens")
		}
	case "issuer":
		if f.Front.Issuer = text; !isText {
			return true, f.problem(at, "facade.issuer must be the URL of the issuer of JWTs, such as https://login.example.com")
		}
	case "audience":
		if f.Front.Audience = text; !isText {
			return true, f.problem(at, "facade.audience must be what JWTs have to be for, such as https://tools.example.com/mcp")
		}
	case "allowHosts":
		list, isList := textList(value)
		if f.Front.Hosts = list; !isList {
			return true, f.problem(at, "facade.allowHosts must be a list of names of this machine, such as [tools.example.com]")
		}
	case "rate":
		n, isNumber := value.Int()
		if f.Front.Rate = int(n); !isNumber || n < 1 || n > MaxRate {
			return true, f.problem(at, "facade.rate must be how many requests a second one caller may make, a whole number from 1 to %d", MaxRate)
		}
	default:
		return false, nil
	}
	if f.Front.tokens != "" && f.Front.Issuer != "" {
		return true, f.problem(at, "facade.tokens and facade.issuer exclude each other: who is named alike in both would be one caller")
	}
	return true, nil
}

// MaxRate is the most requests a second of one caller.
const MaxRate = 1_000_000
