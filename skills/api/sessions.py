"""REST: sessions of a seat, the skills they load, the gate, and the skill tool."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.writes.idempotency import Answer
from skills.api.serializers import (
    ChangeSession,
    CheckGate,
    GateAnswerShape,
    LoadedSkillAnswer,
    LoadSkill,
    OpenSession,
    SessionAnswer,
    SkillToolAnswer,
    UseSkill,
)
from skills.api.shapes import budget_shown
from skills.reads.sessions import SessionView
from skills.writes.activation import activate_skill
from skills.writes.sessions import change_session, check_gate, load_skill, open_session, show_session


def _shown(view: SessionView) -> dict[str, object]:
    return {
        "id": view.id,
        "phase": view.phase.value,
        "turn": view.turn,
        "tools": list(view.tools),
        "servers": list(view.servers),
        "catalogue": view.catalogue,
        "skills": list(view.skills),
        "loaded": list(view.loaded),
        "guard": {"armed": view.unarmed is None, "reason": view.unarmed.value if view.unarmed else None},
        **({"budget": budget_shown(view.composed)} if view.composed.limit else {}),
    }


class Sessions(APIView):
    """`POST sessions`."""

    @extend_schema(
        operation_id="sessions_open", parameters=[KEY_PARAMETER], request=OpenSession, responses={201: SessionAnswer}
    )
    def post(self, request: Request) -> Response:
        """Open a session of the token's seat: one phase's message history."""
        body = OpenSession(data=request.data)
        body.is_valid(raise_exception=True)
        given = body.validated_data

        def answer() -> Answer:
            view = open_session(
                actor=actor_of(request),
                phase=given["phase"],
                turn=given.get("turn") or "",
                tools=given["tools"],
                servers=given["servers"],
                loaded=given.get("loaded", ()),
            )
            return Answer(status=status.HTTP_201_CREATED, body=_shown(view))

        return respond(request, answer)


class Session(APIView):
    """`GET` and `PATCH sessions/{id}`."""

    @extend_schema(operation_id="sessions_read", responses=SessionAnswer)
    def get(self, request: Request, session_id: str) -> Response:
        """The whole session, its catalogue by the registry of this moment."""
        return Response(_shown(show_session(actor=actor_of(request), session_id=session_id)))

    @extend_schema(operation_id="sessions_change", request=ChangeSession, responses=SessionAnswer)
    def patch(self, request: Request, session_id: str) -> Response:
        """Replace each list that is given."""
        body = ChangeSession(data=request.data)
        body.is_valid(raise_exception=True)
        return Response(_shown(change_session(actor=actor_of(request), session_id=session_id, **body.validated_data)))


class SessionLoad(APIView):
    """`POST sessions/{id}/load`."""

    @extend_schema(operation_id="sessions_load", request=LoadSkill, responses=LoadedSkillAnswer)
    def post(self, request: Request, session_id: str) -> Response:
        """Read a tool skill; from then on it holds nothing back in this session."""
        body = LoadSkill(data=request.data)
        body.is_valid(raise_exception=True)
        loaded = load_skill(actor=actor_of(request), session_id=session_id, key=body.validated_data["key"])
        return Response({"key": loaded.key, "title": loaded.title, "body": loaded.body})


class SessionGate(APIView):
    """`POST sessions/{id}/gate`."""

    @extend_schema(operation_id="sessions_gate", request=CheckGate, responses=GateAnswerShape)
    def post(self, request: Request, session_id: str) -> Response:
        """Whether the session may call a tool now."""
        body = CheckGate(data=request.data)
        body.is_valid(raise_exception=True)
        answer = check_gate(
            actor=actor_of(request),
            session_id=session_id,
            tool=body.validated_data["tool"],
            server=body.validated_data.get("server"),
        )
        return Response({"allowed": answer.allowed, "message": answer.message, "missing": list(answer.missing)})


class SessionSkill(APIView):
    """`POST sessions/{id}/skill`."""

    @extend_schema(operation_id="sessions_skill", request=UseSkill, responses=SkillToolAnswer)
    def post(self, request: Request, session_id: str) -> Response:
        """The skill tool: activate a skill folder by its name. A call that fails is answered as the tool answers."""
        params, user_initiated = request.data, False
        if isinstance(params, dict) and isinstance(params.get("user_initiated"), bool):
            user_initiated = params["user_initiated"]
            params = {name: value for name, value in params.items() if name != "user_initiated"}
        answer = activate_skill(
            actor=actor_of(request), session_id=session_id, params=params, user_initiated=user_initiated
        )
        return Response(answer.as_dict())
