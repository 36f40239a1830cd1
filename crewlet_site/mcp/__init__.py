"""The MCP servers: `/agent/mcp` for seats, `/operator/mcp` for people and services.

`mount` is the way in (who asks, how often, from where), `servers` says in the protocol's words what the apps offer
(`company.mcp`, `knowledge.mcp`, `skills.mcp`, `tracker.mcp`), `changes` tells open streams what has changed. The
protocol itself is the official SDK's. Nothing here loads the SDK before it is needed: it takes a second.
"""

from crewlet_site.mcp.mount import Mount, is_mounted

__all__ = ["Mount", "is_mounted"]
