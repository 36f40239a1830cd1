"""The tools of the skills app at the MCP door, and its library as prompts, resources and skills."""

from skills.mcp import authoring, sessions

TOOLS = (*sessions.TOOLS, *authoring.TOOLS)

__all__ = ["TOOLS"]
