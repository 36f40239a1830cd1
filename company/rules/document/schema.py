"""The shape of the company document: pydantic models, which are also the JSON Schema that editors read.

A key that is not known is kept and reported (`model_extra`), never refused, so that a document written for a larger
product applies unchanged. Shape only: what must agree between sections is `company.rules.document.checks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

KEY_PATTERN = r"^[A-Z][A-Z0-9]{1,9}$"
"""Container and project keys (contract, section 1)."""

OPTIONAL_KEY_PATTERN = r"^$|" + KEY_PATTERN
HANDLE_PATTERN = r"^[^\W_](?:[\w.-]*\w)?$"

_YES = frozenset({"yes", "on"})
_NO = frozenset({"no", "off"})


def _read_flag(value: object) -> object:
    """YAML writers say yes and on too."""
    if isinstance(value, str) and value.lower() in _YES | _NO:
        return value.lower() in _YES
    return value


def _read_switch(value: object) -> object:
    """YAML 1.1 writers make a boolean of an unquoted `off`, and hand it over as JSON."""
    return "off" if value is False else value


Flag = Annotated[bool, BeforeValidator(_read_flag)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"\S")]
Handle = Annotated[str, StringConstraints(max_length=150, pattern=HANDLE_PATTERN)]
Key = Annotated[str, StringConstraints(pattern=KEY_PATTERN)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Positive = Annotated[int, Field(ge=1, le=2**31)]


class Section(BaseModel):
    """A part of the document. Types are not bent (`"3"` is no number) and a null key counts as absent."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            return {key: value for key, value in data.items() if value is not None or key not in cls.model_fields}
        return data


class SandboxSection(Section):
    """Whether the seat's turns run in a sandbox."""

    enabled: Flag = Field(default=False, description="Whether the seat works in a sandbox.")


class SeatSection(Section):
    """A seat: the place of an agent or of a person."""

    name: Name = Field(description="What the seat is called, such as 'Engineer Bot'.")
    handle: Handle | None = Field(
        default=None, description="The short name it writes and is mentioned under. Absent: the name as a slug."
    )
    kind: Literal["agent", "human"] = Field(default="agent", description="Who holds it.")
    email: str = Field(default="", description="Where the holder gets mail.")
    space: Key | None = Field(default=None, description="A page container of the seat's own, which it leads.")
    project: Key | None = Field(default=None, description="A tracker project of the seat's own.")
    mcp_env: dict[str, Any] = Field(
        default_factory=dict, description="MCP servers the seat declares, each with its environment."
    )
    sandbox: SandboxSection = Field(default_factory=SandboxSection, description="The seat's sandbox.")
    permissions: list[Literal["knowledge", "tracker", "admin"]] | None = Field(
        default=None, description="The apps the seat may use. Absent: both apps for an agent, none for a human."
    )


class UnitSection(Section):
    """A part of the company, with its seats and the units inside it."""

    name: Name = Field(description="What the unit is called.")
    key: Handle | None = Field(default=None, description="Its stable key. Absent: the name as a slug.")
    type: str = Field(default="", description="What kind of unit it is, such as 'team'.")
    purpose: str = Field(default="", description="What it is for; also the purpose of its space.")
    lead: str | None = Field(default=None, description="The name or handle of the seat that leads it.")
    space: Key | None = Field(default=None, description="The page container the unit's lead leads.")
    project: Key | None = Field(default=None, description="The unit's tracker project.")
    mcp_env: dict[str, Any] = Field(
        default_factory=dict, description="MCP servers that all seats of the unit, and of units inside it, declare."
    )
    roles: list[SeatSection] = Field(default_factory=list, description="The unit's seats.")
    children: list[UnitSection] = Field(default_factory=list, description="Units inside this one.")


class ServerSection(Section):
    """An MCP server whose tools reach seats."""

    name: Name = Field(description="The server's name, as triggers and `mcp_env` write it.")
    shared: Flag = Field(
        default=True, description="True: it reaches every agent. False: only seats that declare it under `mcp_env`."
    )
    tools: list[Name] = Field(default_factory=list, description="The names of the tools it serves, if known.")


class KnowledgeSection(Section):
    """Where knowledge lives and how it is searched."""

    backend: Literal["native", "confluence", "none"] | None = Field(
        default=None, description="Absent: confluence where `integrations.confluence` is declared, else native."
    )
    scope: list[Key] = Field(
        default_factory=list, description="Containers every search is narrowed to. Empty: no narrowing."
    )
    skills_container: Annotated[str, StringConstraints(pattern=OPTIONAL_KEY_PATTERN)] | None = Field(
        default=None, description="The container of the tool skills. Absent: TS. Empty text: tool skills are off."
    )
    root_space: Key = Field(default="HOME", description="The container of what is true of the whole company.")
    vectors: Flag | None = Field(
        default=None, description="Search by meaning. Absent: on where `providers.embeddings` is declared."
    )
    skills_review: Annotated[Literal["off", "required"], BeforeValidator(_read_switch)] = Field(
        default="off", description="Whether a saved skill waits for a second administrator."
    )
    catalogue_budget_bytes: Count = Field(
        default=0, description="The most one catalogue of skills may weigh in a prompt, in bytes. 0: no limit."
    )


class SkillRootSection(Section):
    """A folder of skills on the server."""

    path: Name = Field(description="The folder.")
    trusted: Flag = Field(default=False, description="Whether its skills activate without a hook.")


class HookSection(Section):
    """Who is asked before a skill activates."""

    url: Name = Field(description="Where the question is posted.")
    secret: str = Field(default="", description="Signs the question. Write a `${NAME}` reference.")


class SkillsSection(Section):
    """The skill tool's folders and gates."""

    roots: list[SkillRootSection] = Field(default_factory=list, description="Folders of skills, the first one wins.")
    untrusted_project_skills: Literal["hook_required", "warn", "allow"] = Field(
        default="hook_required", description="What happens to a skill of a folder that is not trusted."
    )
    unsafe_allow_skill_without_hook: Flag = Field(
        default=False, description="Let untrusted skills activate although no hook is declared."
    )
    sensitive_patterns: list[str] = Field(
        default_factory=lambda: ["**/.env/**", "**/secrets/**"], description="Paths no skill is read from."
    )
    hook: HookSection | None = Field(default=None, description="The permission hook.")


class EmbeddingsSection(Section):
    """What turns text into vectors."""

    type: Literal["local", "openai"] = Field(description="`local` runs on this machine; `openai` asks a service.")
    model: str | None = Field(default=None, description="local: minilm (default) or static. openai: the model's name.")
    base_url: str | None = Field(default=None, description="The service's address.")
    api_key: str | None = Field(default=None, description="The service's key. Write a `${NAME}` reference.")
    dimensions: Positive | None = Field(default=None, description="The width of a vector.")
    max_input_tokens: Positive | None = Field(default=None, description="The longest text the model takes.")
    max_batch_tokens: Positive | None = Field(default=None, description="The most tokens one request holds.")
    max_batch_inputs: Positive | None = Field(default=None, description="The most texts one request holds.")


class ModelSection(Section):
    """A language model."""

    type: str = Field(
        default="openai-compatible", description="`openai-compatible` is spoken; a model of another type is not used."
    )
    base_url: str = Field(default="", description="The service's address.")
    model: str = Field(default="", description="The model's name.")
    api_keys: list[str] = Field(default_factory=list, description="Keys, tried in turn. Write `${NAME}` references.")
    timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=120, description="How long an answer may take."
    )


class ModelsSection(Section):
    """The language models by use."""

    default: ModelSection | None = Field(default=None, description="The company's model.")
    auxiliary: ModelSection | None = Field(
        default=None, description="The model for search queries and answers. Absent: the default."
    )


class ProvidersSection(Section):
    """Services the company computes with."""

    embeddings: EmbeddingsSection | None = Field(default=None, description="What turns text into vectors.")
    llm: ModelsSection = Field(default_factory=ModelsSection, description="Language models.")


class BudgetsSection(Section):
    """Tokens the company may spend; 0 is no limit."""

    day: Count = Field(default=0, description="Tokens a day.")
    week: Count = Field(default=0, description="Tokens a week.")
    month: Count = Field(default=0, description="Tokens a month.")


class ConfluenceSection(Section):
    """A Confluence site the company keeps its knowledge in."""

    url: Name = Field(description="The site's address.")
    email: str = Field(default="", description="The account that reads.")
    token: str = Field(default="", description="The account's token. Write a `${NAME}` reference.")
    webhook_secret: str = Field(default="", description="What its webhooks are signed with.")


class IntegrationsSection(Section):
    """What the company is connected to."""

    dashboard_base_url: str = Field(
        default="", description="Where people reach this site; feeds `${crewlet_base_url}`."
    )
    confluence: ConfluenceSection | None = Field(default=None, description="A Confluence site.")


class CompanyDocument(Section):
    """The document that describes a company."""

    name: Name = Field(description="The company's name.")
    mission: str = Field(default="", description="What it is for. Shown, not interpreted.")
    vision: str = Field(default="", description="Where it is going. Shown, not interpreted.")
    policies: list[str] = Field(default_factory=list, description="Its rules. Shown, not interpreted.")
    timezone: str = Field(default="UTC", description="An IANA time zone; fixes the day of usage figures.")
    knowledge: KnowledgeSection = Field(default_factory=KnowledgeSection, description="Where knowledge lives.")
    skills: SkillsSection = Field(default_factory=SkillsSection, description="The skill tool's folders and gates.")
    skill_variables: dict[str, str] = Field(
        default_factory=dict, description="Values skills may refer to as `${name}`. Every agent sees them: no secrets."
    )
    providers: ProvidersSection = Field(default_factory=ProvidersSection, description="Models and embeddings.")
    budgets: BudgetsSection = Field(default_factory=BudgetsSection, description="Token budgets.")
    integrations: IntegrationsSection = Field(default_factory=IntegrationsSection, description="Connections.")
    mcp_servers: list[ServerSection] = Field(default_factory=list, description="MCP servers whose tools reach seats.")
    roles: list[SeatSection] = Field(default_factory=list, description="Seats outside any unit.")
    units: list[UnitSection] = Field(default_factory=list, description="The company's units.")


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the document, for editors and for those who check a file before they send it."""
    schema = CompanyDocument.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Crewlet company document"}
