"""Tools about the company document, for administrators."""

from __future__ import annotations

from pydantic import Field

from company.mcp.tools import OPERATORS, Arguments, Caller, Said, Tool
from company.reads.documents import active_document
from company.rules.actors import Permission, Scope
from company.writes.document import apply_document


class GetConfig(Arguments):
    """Takes nothing."""


class ApplyConfig(Arguments):
    """A document, and the revision it was written on."""

    text: str = Field(description="The whole document, YAML or JSON. A `***` keeps the secret stored at that place.")
    base_revision: int | None = Field(
        default=None, description="The revision you read with get_config; left out only for the very first document."
    )
    summary: str = Field(default="", description="One line on what changed, for the list of revisions.")


def _get(caller: Caller, _: GetConfig) -> Said:
    view = active_document(actor=caller.actor)
    return Said(text=f"revision {view.row.id}\n\n{view.source}")


def _apply(caller: Caller, given: ApplyConfig) -> Said:
    made = apply_document(actor=caller.actor, source=given.text, summary=given.summary, if_match=given.base_revision)
    ignored = [f"Kept, and not read by this product: {', '.join(made.ignored)}"] if made.ignored else []
    return Said(text="\n\n".join([f"revision {made.pk}", "The document is in force.", *ignored]))


TOOLS = (
    Tool(
        name="get_config",
        title="Read the company document",
        description="The company document in force, as it was written, after a line with its revision. Secrets read "
        "`***`.",
        arguments=GetConfig,
        call=_get,
        audiences=OPERATORS,
        permission=Permission.ADMIN,
        reads_only=True,
    ),
    Tool(
        name="apply_config",
        title="Put a company document in force",
        description="Check a whole company document and put it in force as a new revision. Every process follows "
        "without a restart. A document with anything wrong changes nothing, and the refusal lists every "
        "problem with its path.",
        arguments=ApplyConfig,
        call=_apply,
        audiences=OPERATORS,
        permission=Permission.ADMIN,
        scope=Scope.ADMIN,
        destroys=True,
    ),
)
