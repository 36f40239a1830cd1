"""The shapes of the skills' REST door: what requests may hold, and what answers do."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from company.api.serializers import StrictSerializer
from knowledge.api.search import OutcomeShape
from skills.folders import ErrorCode
from skills.folders import Kind as ToolKind
from skills.registry.findings import FindingKind
from skills.tool_skills.rules.documents import Kind, Phase
from skills.tool_skills.rules.guard import Unarmed

Answer = serializers.Serializer[Any]


def _names(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(trim_whitespace=False), **options)


class OpenSession(StrictSerializer):
    """The body of `POST sessions`."""

    phase = serializers.CharField()
    turn = serializers.CharField(required=False, allow_null=True, allow_blank=True)
    tools = _names()
    servers = _names()
    loaded = _names(required=False)


class ChangeSession(StrictSerializer):
    """The body of `PATCH sessions/{id}`."""

    tools = _names(required=False)
    servers = _names(required=False)
    loaded = _names(required=False)


class LoadSkill(StrictSerializer):
    """The body of `POST sessions/{id}/load`."""

    key = serializers.CharField()


class CheckGate(StrictSerializer):
    """The body of `POST sessions/{id}/gate`."""

    tool = serializers.CharField()
    server = serializers.CharField(required=False, allow_null=True)


class UseSkill(Answer):
    """The body of `POST sessions/{id}/skill`, which the tool judges itself: a wrong one is answered `INVALID_PARAM`."""

    name = serializers.CharField(max_length=64, help_text="A skill's name, in lower-case kebab case.")
    arguments = serializers.JSONField(
        required=False, help_text="A text for `$ARGUMENTS` and `$1`, or an object of texts for `${name}`."
    )
    user_initiated = serializers.BooleanField(required=False, help_text="A person asked for it. Agents cannot say so.")


class SkillToolAnswer(Answer):
    """What the skill tool answers; `kind` tells which of the other fields there are."""

    kind = serializers.ChoiceField([kind.value for kind in ToolKind])
    output = serializers.CharField(help_text="The answer as the model reads it.")
    name = serializers.CharField(required=False)
    dir = serializers.CharField(required=False)
    body = serializers.CharField(required=False)
    frontmatter = serializers.DictField(required=False)
    resources = serializers.ListField(child=serializers.CharField(), required=False)
    bytes = serializers.IntegerField(required=False)
    at_turn = serializers.CharField(required=False, allow_null=True)
    siblings = serializers.ListField(child=serializers.CharField(), required=False)
    code = serializers.ChoiceField([code.value for code in ErrorCode], required=False)
    message = serializers.CharField(required=False)


class ValidateText(StrictSerializer):
    """The body of `POST skill-validate`."""

    text = serializers.CharField(trim_whitespace=False, allow_blank=True)


class CoversAnswer(Answer):
    """What a skill covers."""

    tools = serializers.ListField(child=serializers.CharField())
    servers = serializers.ListField(child=serializers.CharField())


class SkillAnswer(Answer):
    """A tool skill as its page writes it."""

    key = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    body = serializers.CharField()
    phases = serializers.ListField(child=serializers.ChoiceField([phase.value for phase in Phase]))
    required = serializers.BooleanField()  # type: ignore[assignment] # the field's public name is that of an option
    trigger = serializers.DictField()
    page_id = serializers.IntegerField(allow_null=True)
    page_version = serializers.IntegerField(allow_null=True)
    covers = CoversAnswer()


class SkillListAnswer(Answer):
    """A window of the skills served."""

    results = SkillAnswer(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)
    outcome = OutcomeShape(required=False, help_text="Of a search alone: what it did, as of one of pages.")


class DayAnswer(Answer):
    """One company day of a seat's use."""

    day = serializers.DateField()
    offered = serializers.IntegerField()
    loaded = serializers.IntegerField()
    blocked = serializers.IntegerField()


class SeatUsageAnswer(Answer):
    """A seat's use."""

    seat = serializers.CharField()
    offered = serializers.IntegerField()
    loaded = serializers.IntegerField()
    blocked = serializers.IntegerField()
    by_day = DayAnswer(many=True)


class UsageAnswer(Answer):
    """A skill's use."""

    key = serializers.CharField()
    since = serializers.DateField()
    until = serializers.DateField()
    seats = SeatUsageAnswer(many=True)


class ProblemAnswer(Answer):
    """One thing wrong in a text."""

    code = serializers.CharField()
    field = serializers.CharField(allow_null=True)
    line = serializers.IntegerField(allow_null=True)
    detail = serializers.CharField()


class FindingAnswer(Answer):
    """Something wrong with one page; `key`, `served` and `shadowed` stand where there is one."""

    kind = serializers.ChoiceField([kind.value for kind in FindingKind])
    page_id = serializers.IntegerField()
    key = serializers.CharField(required=False)
    served = serializers.IntegerField(required=False)
    shadowed = serializers.IntegerField(required=False)
    problems = ProblemAnswer(many=True)


class FindingListAnswer(Answer):
    """A window of what is wrong."""

    results = FindingAnswer(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class ExplainedAnswer(Answer):
    """Whether a skill is listed, and why."""

    key = serializers.CharField()
    included = serializers.BooleanField()
    reason = serializers.CharField()


class ExplainAnswer(Answer):
    """Every skill's answer."""

    skills = ExplainedAnswer(many=True)


class SizesAnswer(Answer):
    """Bytes of UTF-8."""

    summary = serializers.IntegerField()
    body = serializers.IntegerField()


class ValidationAnswer(Answer):
    """What a text is; `skill` only where nothing is wrong with it."""

    kind = serializers.ChoiceField([kind.value for kind in Kind])
    skill = serializers.DictField(required=False, help_text="In the shape of its dialect.")
    problems = ProblemAnswer(many=True)
    warnings = serializers.ListField(child=serializers.CharField())
    bytes = SizesAnswer()


class GuardAnswer(Answer):
    """Whether the guard of a session is armed."""

    armed = serializers.BooleanField()
    reason = serializers.ChoiceField([reason.value for reason in Unarmed], allow_null=True)


class CatalogueBudgetAnswer(Answer):
    """What the company's limit did to a catalogue: what it weighs, and would weigh without a limit."""

    limit = serializers.IntegerField()
    bytes = serializers.IntegerField()
    whole_bytes = serializers.IntegerField()
    shortened = serializers.ListField(child=serializers.CharField(), help_text="Keys whose summary was cut.")
    dropped = serializers.ListField(child=serializers.CharField(), help_text="Keys of advisory skills left out.")


class SaidAnswer(Answer):
    """What a skill says of itself."""

    key = serializers.CharField(help_text="A tool skill's key, another's name.")
    dialect = serializers.ChoiceField([kind.value for kind in Kind])
    page_id = serializers.IntegerField()
    text = serializers.CharField()


class AlikeAnswer(Answer):
    """Two skills and how alike they are, of a hundred, by a model's name or by `words`."""

    likeness = serializers.IntegerField()
    measure = serializers.CharField()
    skills = SaidAnswer(many=True)


class AlikeListAnswer(Answer):
    """A window of the pairs."""

    results = AlikeAnswer(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class WeighedAnswer(CatalogueBudgetAnswer):
    """A catalogue and what the limit made of it, the worst it did."""

    state = serializers.ChoiceField(["within", "shortened", "dropped", "over"])


class PhaseCostAnswer(WeighedAnswer):
    """The catalogue of a seat in one phase."""

    phase = serializers.ChoiceField([phase.value for phase in Phase])


class SeatCostAnswer(Answer):
    """What a seat pays."""

    seat = serializers.CharField()
    phases = PhaseCostAnswer(many=True)


class SkillCostAnswer(Answer):
    """What a tool skill adds: its line where it is longest, how many catalogues list it and leave it out, all lines."""

    key = serializers.CharField()
    line_bytes = serializers.IntegerField()
    catalogues = serializers.IntegerField()
    left_out = serializers.IntegerField()
    total_bytes = serializers.IntegerField()


class CostsAnswer(Answer):
    """What every agent's seat pays for skills on each turn; `agent_skills` is what the skill tool's catalogue adds."""

    limit = serializers.IntegerField(help_text="What one catalogue may weigh; 0 is no limit.")
    seats = SeatCostAnswer(many=True)
    skills = SkillCostAnswer(many=True)
    agent_skills = WeighedAnswer()


class SessionAnswer(Answer):
    """The whole session; `budget` only where the document sets `knowledge.catalogue_budget_bytes`."""

    id = serializers.CharField()
    phase = serializers.ChoiceField([phase.value for phase in Phase])
    turn = serializers.CharField(allow_null=True)
    tools = serializers.ListField(child=serializers.CharField())
    servers = serializers.ListField(child=serializers.CharField())
    catalogue = serializers.CharField()
    skills = serializers.ListField(child=serializers.CharField())
    loaded = serializers.ListField(child=serializers.CharField())
    guard = GuardAnswer()
    budget = CatalogueBudgetAnswer(required=False)


class LoadedSkillAnswer(Answer):
    """A skill as a model reads it."""

    key = serializers.CharField()
    title = serializers.CharField()
    body = serializers.CharField()


class GateAnswerShape(Answer):
    """Whether a call may go ahead; `message` is empty where it may."""

    allowed = serializers.BooleanField()
    message = serializers.CharField()
    missing = serializers.ListField(child=serializers.CharField())
