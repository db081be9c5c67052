package trapserver

import (
	"fmt"
	"os"
	"time"
)

// slowness is longer than a client waits for server/discover.
const slowness = 2 * time.Second

// openingModes make it hard to open a session.
var openingModes = map[string]mode{
	"hang-initialize": {request: silentOn("initialize")},
	"hang":            {request: func(*server, request) bool { return true }},
	"never-starts": {start: func(*server) {
		fmt.Fprintln(os.Stderr, "the key is missing")
		os.Exit(ExitCrash)
	}},
	"ignores-unknown": {request: silentOn("server/discover")},
	"slow-to-refuse": {request: func(_ *server, r request) bool {
		if r.method == "server/discover" {
			time.Sleep(slowness)
		}
		return false
	}},
	"reversed": {request: func(s *server, r request) bool {
		if r.method == "server/discover" { // answered once initialize was
			s.mode.request = func(s *server, second request) bool {
				s.answer(second)
				s.answer(r)
				s.mode.request = nil
				return true
			}
		}
		return r.method == "server/discover"
	}},
	"dies-on-unknown": {request: func(s *server, r request) bool {
		if s.counts["initialize"] == 0 {
			fmt.Fprintln(os.Stderr, "unexpected", r.method)
			os.Exit(ExitCrash)
		}
		return false
	}},
	"refuses": {request: func(s *server, r request) bool {
		if r.method == "initialize" {
			s.send(r, `"error":{"code":-32000,"message":"go away"}`)
		}
		return r.method == "initialize"
	}},
	"no-version": {request: func(s *server, r request) bool {
		if r.method == "initialize" {
			s.send(r, `"result":{"capabilities":{}}`)
		}
		return r.method == "initialize"
	}},
	"unknown-version":   {version: "2099-01-01"},
	"stateless-version": {version: "2026-07-28"},
}
