"""REST: prompt skills, and what a message brings in."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.serializers import ExactText, StrictSerializer
from skills.reads.prompts import list_prompt_skills, match_message


class MatchMessage(StrictSerializer):
    """The body of `POST prompt-skills/match`."""

    text = ExactText()


class PromptSkillAnswer(serializers.Serializer[Any]):
    """A prompt skill in the list; `tools` are the names of those it contributes."""

    name = serializers.CharField()
    description = serializers.CharField()
    triggers = serializers.ListField(child=serializers.CharField())
    tools = serializers.ListField(child=serializers.CharField())


class PromptSkillsAnswer(serializers.Serializer[Any]):
    """Every prompt skill."""

    skills = PromptSkillAnswer(many=True)


class MessageAnswer(serializers.Serializer[Any]):
    """A message to put into the turn."""

    role = serializers.ChoiceField(choices=["user"])
    content = serializers.CharField()


class ContributedToolAnswer(serializers.Serializer[Any]):
    """A tool for the harness to offer; the server never runs its command."""

    name = serializers.CharField()
    description = serializers.CharField()
    command = serializers.CharField()
    schema = serializers.DictField()


class MatchedAnswer(serializers.Serializer[Any]):
    """What a message brings in."""

    skills = serializers.ListField(child=serializers.CharField())
    messages = MessageAnswer(many=True)
    tools = ContributedToolAnswer(many=True)


class PromptSkills(APIView):
    """`GET /api/skills`."""

    @extend_schema(operation_id="prompt_skills_list", responses=PromptSkillsAnswer)
    def get(self, request: Request) -> Response:
        """Every prompt skill that is served, by name."""
        return Response({"skills": [served.skill.as_dict() for served in list_prompt_skills(actor=actor_of(request))]})


class PromptSkillMatch(APIView):
    """`POST prompt-skills/match`."""

    @extend_schema(operation_id="prompt_skills_match", request=MatchMessage, responses=MatchedAnswer)
    def post(self, request: Request) -> Response:
        """The prompt skills a message triggers, as messages for the turn, and the tools they contribute."""
        body = MatchMessage(data=request.data)
        body.is_valid(raise_exception=True)
        found = match_message(actor=actor_of(request), text=body.validated_data["text"])
        return Response(
            {
                "skills": list(found.skills),
                "messages": list(found.messages),
                "tools": [tool.as_dict() for tool in found.tools],
            }
        )
