"""The tools of the knowledge app at the MCP door: reading and writing pages, and their upkeep by people."""

from knowledge.mcp import pages, upkeep

TOOLS = (*pages.TOOLS, *upkeep.TOOLS)

__all__ = ["TOOLS"]
