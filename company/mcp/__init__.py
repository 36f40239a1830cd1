"""The MCP door, in two halves: `<app>.mcp` says which tools an app has, and `crewlet_site.mcp` serves them.

Nothing in `<app>.mcp` knows the protocol. A tool has a name, words an agent can act on, its arguments and one
function that calls one read or write; the servers translate all of that to the wire.
"""
