"""The tools of the tracker at the MCP door."""

from tracker.mcp import items

TOOLS = items.TOOLS

__all__ = ["TOOLS"]
