package cli

import (
	"slices"
	"strconv"
	"strings"

	cli "github.com/urfave/cli/v2"

	"anvil/internal/config"
)

func shardFlag() cli.Flag {
	return &cli.StringFlag{Name: "shard", Usage: "check the `I/N`th part of the servers: 1/3, 2/3 and 3/3 together are all of them, each in one"}
}

// shard is one of so many parts of the servers. The zero value is all of them.
type shard struct{ part, of int }

// parseShard reads I/N.
func parseShard(text string) (s shard, ok bool) {
	part, of, cut := strings.Cut(text, "/")
	var err, wrong error
	s.part, err = strconv.Atoi(part)
	s.of, wrong = strconv.Atoi(of)
	return s, cut && err == nil && wrong == nil && text == strconv.Itoa(s.part)+"/"+strconv.Itoa(s.of) && 1 <= s.part && s.part <= s.of
}

// among returns the names in the shard: in the order of names each goes to the next one. It depends on the names alone.
func (s shard) among(names []string) (mine []string) {
	for i, name := range slices.Sorted(slices.Values(names)) {
		if i%s.of == s.part-1 {
			mine = append(mine, name)
		}
	}
	return mine
}

// sharded resolves the servers that a check is about: those that are named, those of the shard, or all. A shard of few servers may have none.
func sharded(c *cli.Context, file *config.File) ([]config.Server, error) {
	if !c.IsSet("shard") {
		return configured(c, file, c.Args().Slice())
	}
	s, ok := parseShard(c.String("shard"))
	switch {
	case !ok:
		return nil, usagef("--shard %q: give the part and how many there are, such as 1/3, 2/3 and 3/3", c.String("shard"))
	case c.NArg() > 0:
		return nil, usagef("--shard is about all servers of the configuration; leave the names out, or leave --shard out")
	case file == nil || len(file.Names()) == 0:
		return configured(c, file, nil)
	}
	mine := s.among(file.Names())
	if len(mine) == 0 {
		return nil, nil
	}
	return configured(c, file, mine)
}

// isWhole reports a check of all servers.
func isWhole(c *cli.Context) bool { return c.NArg() == 0 && !c.IsSet("shard") }

// isFirstShard reports the check that tells what concerns no server of the configuration, so that one of all shards does.
func isFirstShard(c *cli.Context) bool {
	return !c.IsSet("shard") || strings.HasPrefix(c.String("shard"), "1/")
}
