"""REST: the tool skills served, what is wrong with them, whom they reach, and whether a text would be one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.listing import answer_listing
from company.rules.days import parse_days
from company.rules.windows import parse_window
from knowledge.api.search import OutcomeShape
from knowledge.search.rules.outcome import Mode, parse_mode
from knowledge.search.rules.queries import MAX_BYTES
from skills.api.serializers import (
    AlikeListAnswer,
    CostsAnswer,
    ExplainAnswer,
    FindingListAnswer,
    SkillAnswer,
    SkillListAnswer,
    UsageAnswer,
    ValidateText,
    ValidationAnswer,
)
from skills.api.shapes import budget_shown
from skills.reads.alike import CURSOR_WIDTH as ALIKE_CURSOR_WIDTH
from skills.reads.alike import list_alike
from skills.reads.costs import costs, state_of
from skills.reads.explain import explain
from skills.reads.search import search_tool_skills
from skills.reads.skills import CURSOR_WIDTH, PROBLEMS_CURSOR_WIDTH, get_skill, list_problems, list_skills
from skills.reads.usage import usage_of
from skills.reads.validate import validate_text
from skills.registry import ServedSkill
from skills.registry.findings import Finding
from skills.tool_skills.rules.documents import Phase

WINDOW = [
    OpenApiParameter("limit", OpenApiTypes.INT, description="How many at most; 50 when absent, 500 at most."),
    OpenApiParameter("after", OpenApiTypes.STR, description="The cursor the last window answered."),
]
SEARCH = [
    OpenApiParameter(
        "q", OpenApiTypes.STR, description=f"Words, a name or a question; at most {MAX_BYTES} bytes. Ranks the answer."
    ),
    OpenApiParameter("mode", OpenApiTypes.STR, enum=[mode.value for mode in Mode], description="With `q`: how."),
]


def _shown(served: ServedSkill) -> dict[str, Any]:
    return served.skill.as_dict(page_id=served.page_id, page_version=served.page_version)


def _finding(finding: Finding) -> dict[str, object]:
    optional = {"key": finding.key, "served": finding.served, "shadowed": finding.shadowed}
    return {
        "kind": finding.kind.value,
        "page_id": finding.page_id,
        **{name: value for name, value in optional.items() if value is not None},
        "problems": [problem.as_dict() for problem in finding.problems],
    }


class Skills(APIView):
    """`GET skills`."""

    @extend_schema(operation_id="skills_list", parameters=[*WINDOW, *SEARCH], responses=SkillListAnswer)
    def get(self, request: Request) -> Response:
        """The tool skills that are served, by key; with `q` those that answer it, best first, and an `outcome`."""
        asked = request.query_params
        window = parse_window(asked.get("limit"), asked.get("after"), width=CURSOR_WIDTH)
        if "q" not in asked:
            return Response(answer_listing(list_skills(actor=actor_of(request), window=window), _shown))
        found = search_tool_skills(
            actor=actor_of(request), text=asked["q"], mode=parse_mode(asked.get("mode")), window=window
        )
        return Response({**answer_listing(found.listing, _shown), "outcome": OutcomeShape(found.outcome).data})


class Skill(APIView):
    """`GET skills/{key}`."""

    @extend_schema(operation_id="skills_read", responses=SkillAnswer)
    def get(self, request: Request, key: str) -> Response:
        """One tool skill."""
        return Response(_shown(get_skill(actor=actor_of(request), key=key)))


class SkillUsage(APIView):
    """`GET skills/{key}/usage`."""

    @extend_schema(
        operation_id="skills_usage",
        parameters=[OpenApiParameter("days", OpenApiTypes.INT, description="How many company days; 30 when absent.")],
        responses=UsageAnswer,
    )
    def get(self, request: Request, key: str) -> Response:
        """How often each seat was offered the skill, loaded it and was held back for it, by company day."""
        usage = usage_of(actor=actor_of(request), key=key, days=parse_days(request.query_params.get("days")))
        return Response(UsageAnswer(usage).data)


class SkillProblems(APIView):
    """`GET skill-problems`."""

    @extend_schema(operation_id="skill_problems", parameters=WINDOW, responses=FindingListAnswer)
    def get(self, request: Request) -> Response:
        """What is wrong with pages of the skills container, by page."""
        window = parse_window(
            request.query_params.get("limit"), request.query_params.get("after"), width=PROBLEMS_CURSOR_WIDTH
        )
        listing = list_problems(actor=actor_of(request), window=window)
        results = [_finding(finding) for finding in listing.results]
        return Response({"results": results, "total": listing.total, "after": listing.after})


class SkillCosts(APIView):
    """`GET skill-costs`."""

    @extend_schema(operation_id="skill_costs", responses=CostsAnswer)
    def get(self, request: Request) -> Response:
        """The bytes each turn of a seat pays for the catalogue of each phase, and which skills they go to."""
        found = costs(actor=actor_of(request))
        seats = [
            {
                "seat": seat.handle,
                "phases": [
                    {"phase": phase.value, "state": state_of(catalogue), **budget_shown(catalogue)}
                    for phase, catalogue in seat.by_phase.items()
                ],
            }
            for seat in found.seats
        ]
        skills = [
            {
                "key": one.key,
                "line_bytes": one.size,
                "catalogues": one.catalogues,
                "left_out": one.left_out,
                "total_bytes": one.total,
            }
            for one in found.skills
        ]
        agent_skills = {"state": state_of(found.agent_skills), **budget_shown(found.agent_skills)}
        return Response({"limit": found.limit, "seats": seats, "skills": skills, "agent_skills": agent_skills})


class SkillsAlike(APIView):
    """`GET skills-alike`."""

    @extend_schema(operation_id="skills_alike", parameters=WINDOW, responses=AlikeListAnswer)
    def get(self, request: Request) -> Response:
        """Pairs of skills that say nearly the same of themselves, the most alike first."""
        window = parse_window(
            request.query_params.get("limit"), request.query_params.get("after"), width=ALIKE_CURSOR_WIDTH
        )
        listing = list_alike(actor=actor_of(request), window=window)
        results = [
            {
                "likeness": pair.likeness,
                "measure": pair.measure,
                "skills": [
                    {"key": one.name, "dialect": one.dialect.value, "page_id": one.page_id, "text": one.text}
                    for one in (pair.first, pair.second)
                ],
            }
            for pair in listing.results
        ]
        return Response({"results": results, "total": listing.total, "after": listing.after})


class SkillExplain(APIView):
    """`GET skill-explain`."""

    @extend_schema(
        operation_id="skill_explain",
        parameters=[
            OpenApiParameter("phase", OpenApiTypes.STR, required=True, enum=[phase.value for phase in Phase]),
            OpenApiParameter("seat", OpenApiTypes.STR, description="A seat's handle."),
            OpenApiParameter("tools", OpenApiTypes.STR, many=True, description="Absent: those the seat reaches."),
            OpenApiParameter("servers", OpenApiTypes.STR, many=True, description="Absent: those that reach the seat."),
        ],
        responses=ExplainAnswer,
    )
    def get(self, request: Request) -> Response:
        """Why each skill is or is not in the catalogue of a phase."""
        asked = request.query_params
        found = explain(
            actor=actor_of(request),
            phase=asked.get("phase", ""),
            seat=asked.get("seat") or None,
            tools=asked.getlist("tools") if "tools" in asked else None,
            servers=asked.getlist("servers") if "servers" in asked else None,
        )
        return Response(ExplainAnswer({"skills": found}).data)


class SkillValidate(APIView):
    """`POST skill-validate`."""

    @extend_schema(operation_id="skill_validate", request=ValidateText, responses=ValidationAnswer)
    def post(self, request: Request) -> Response:
        """What a text would be as a page of the skills container. Changes nothing."""
        body = ValidateText(data=request.data)
        body.is_valid(raise_exception=True)
        found = validate_text(actor=actor_of(request), text=body.validated_data["text"])
        return Response(
            {
                "kind": found.kind.value,
                **({"skill": found.skill} if found.skill is not None else {}),
                "problems": [problem.as_dict() for problem in found.problems],
                "warnings": list(found.warnings),
                "bytes": {"summary": found.sizes.summary, "body": found.sizes.body},
            }
        )
