// Package launch finds what a launcher such as npx would end up running, so that a server can be started without it: npm
// and its shell take several times as long to start as most servers do. It stands beside wire, before whoever fills in a
// wire.Command.
//
// It only looks at arguments and files: it starts nothing, writes nothing and asks no network. What it returns is what npx
// would run, or the arguments as they came; where it cannot be sure, npx decides. The rules are those of npm 10 and 11
// (observed on 11.19.1; 10.9.9 was compared by its source, and held by a test that runs npx itself):
//
//   - Without --package, a file of the asked name in a node_modules/.bin, from the project's folder up to the root, is run,
//     whatever package it belongs to; then one in the bin folder of the global prefix.
//   - PKG alone is taken from the project's node_modules in any version. It is not taken from npx's own cache without
//     asking the registry whether there is a newer version; nor is PKG@latest, another tag or a range, from anywhere. All
//     these are left to npx.
//   - PKG@1.2.3 is taken from the project, then from the global folder, then from npx's cache, which has one folder for
//     each set of packages asked for, named by a hash of the words asked. npx still asks the registry for the package's
//     description, which for an exact version changes nothing; without a registry it takes the description it has.
//
// Not the same as under npx is the environment: the npm_... variables and the node_modules/.bin folders in PATH are absent.
// A program whose interpreter would come out of such a folder is left to npx.
package launch
