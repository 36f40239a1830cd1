"""Screens of people: who has a login, the seat they hold, what they are given, and links that let them in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from company import live
from company.reads.people import WINDOW_WIDTH, get_person, list_people
from company.rules.actors import Actor, ActorKind, Permission
from company.rules.chart import Seat
from company.rules.refusals import Refused
from company.rules.windows import MAX_LIMIT, parse_window
from company.views.screens import go, say, screen
from company.writes.people import Given, change_person, create_person, create_sign_in_link


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def people(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Everybody who has a login. POST gives somebody one and leads to their sign-in link."""
    if request.method != "POST":
        return _list(request, actor)
    form = request.POST
    try:
        made = create_person(
            actor=actor,
            login=form.get("login", ""),
            name=form.get("name", ""),
            seat=form.get("seat") or None,
            permissions=form.getlist("permissions"),
        )
    except Refused as refused:
        if not actor.is_admin:
            raise
        return _list(request, actor, refused=refused)
    say(request, f"{made.name or made.login} has a login. Make a sign-in link and give it to them.")
    return go(f"/company/people/{made.pk}")


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def person(request: HttpRequest, actor: Actor, person_id: int) -> HttpResponse:
    """One person: name, seat, permissions, and whether they may come in at all."""
    row = get_person(actor=actor, person_id=person_id)
    context: dict[str, object] = {"row": row, **_choices(), "section": "company"}
    if request.method != "POST":
        typed = {"name": row.name, "seat": row.seat or "", "permissions": row.permissions, "active": row.active}
        return render(request, "company/person.html", {**context, "typed": typed})
    form = request.POST
    typed = {
        "name": form.get("name", ""),
        "seat": form.get("seat", ""),
        "permissions": tuple(form.getlist("permissions")),
        "active": form.get("active") == "1",
    }
    try:
        change_person(
            actor=actor,
            person_id=person_id,
            name=form.get("name", ""),
            seat=Given(value=form.get("seat") or None),
            permissions=form.getlist("permissions"),
            active=form.get("active") == "1",
        )
    except Refused as refused:
        context |= {"typed": typed, "refused": refused}
        return render(request, "company/person.html", context, status=refused.status)
    say(request, "Saved.")
    return go("/company/people")


@never_cache
@require_POST
@screen
def link(request: HttpRequest, actor: Actor, person_id: int) -> HttpResponse:
    """A link that signs a person in once, shown in this answer and nowhere else."""
    secret = create_sign_in_link(actor=actor, person_id=person_id)
    row = get_person(actor=actor, person_id=person_id)
    address = request.build_absolute_uri(f"/sign-in/once/{secret}")
    return render(request, "company/person_link.html", {"row": row, "address": address, "section": "company"})


def _list(request: HttpRequest, actor: Actor, *, refused: Refused | None = None) -> HttpResponse:
    window = parse_window(str(MAX_LIMIT), request.GET.get("after"), width=WINDOW_WIDTH)
    keep = refused is not None
    context = {
        "section": "company",
        "listing": list_people(actor=actor, window=window),
        **_choices(),
        "refused": refused,
        "typed_login": request.POST.get("login", "") if keep else "",
        "typed_name": request.POST.get("name", "") if keep else "",
        "typed_seat": request.POST.get("seat", "") if keep else "",
        "typed_permissions": request.POST.getlist("permissions") if keep else ["knowledge"],
    }
    return render(request, "company/people.html", context, status=refused.status if refused else 200)


def _choices() -> dict[str, object]:
    """The seats a person can hold, and the permissions there are."""
    seats: list[Seat] = [seat for seat in live.current().seats if seat.kind is ActorKind.HUMAN]
    return {"seats": seats, "permissions": [permission.value for permission in Permission]}
