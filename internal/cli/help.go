package cli

// appHelp is shown by `anvil --help`.
const appHelp = `Start with a server you have:

   anvil mcp inspect -- npx -y SOME-SERVER            look at it
   anvil mcp adopt --mode facade --out PACK -- npx -y SOME-SERVER
   anvil mcp approve PACK --read-only                 nothing is callable before
   anvil mcp serve PACK                               speak MCP to the facade
   anvil mcp check                                    in CI: has a server changed?

Exit codes: 0 clean; 1 findings at or above the threshold; 2 wrong usage or configuration; 3 the work could not be
done; 4 the server could not be reached; 5 authentication is required; 6 the called tool returned an error.`

// targetUsage explains the TARGET of a command.
const targetUsage = `TARGET is one of
   -- COMMAND ARG...   a server to start on stdio; always last on the line
   https://...         a server on streamable HTTP
   NAME                a server of the configuration (anvil.yaml, mcp.json, ...)
   PATH                a snapshot file or a pack folder; ./PATH when a server has the same name`
