"""People, their one-time sign-in links, and tokens. No secret is stored: passwords and tokens are hashed."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower


class PersonManager(BaseUserManager["Person"]):
    """Finds a person by login, without regard to case."""

    def get_by_natural_key(self, username: str | None) -> Person:
        return self.get(login=(username or "").lower())


class Person(AbstractBaseUser):
    """Somebody who signs in. `permissions` are given here; those of the seat are added from the document."""

    login = models.CharField(max_length=150, unique=True)
    name = models.CharField(max_length=255, blank=True)
    seat = models.CharField(max_length=150, null=True, blank=True)
    permissions = ArrayField(models.CharField(max_length=16), default=list, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PersonManager()

    USERNAME_FIELD = "login"

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(login=Lower("login")), name="a_login_is_lower_case"),
            models.UniqueConstraint(
                fields=["seat"], condition=models.Q(seat__isnull=False, is_active=True), name="a_seat_is_held_once"
            ),
        ]

    def __str__(self) -> str:
        return self.login


class SignInLink(models.Model):
    """A link that signs a person in once, such as the first one `up` prints."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    digest = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Token(models.Model):
    """A bearer credential: of a person, of an agent's seat, or of a service that is neither."""

    name = models.CharField(max_length=150)
    digest = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(Person, null=True, on_delete=models.CASCADE, related_name="tokens")
    seat = models.CharField(max_length=150, null=True)
    scopes = ArrayField(models.CharField(max_length=16))
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    proven_until = models.DateTimeField(null=True)
    created_by = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(person__isnull=True) | models.Q(seat__isnull=True),
                name="a_token_is_a_persons_or_a_seats_or_neither",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def is_spent(self, now: datetime) -> bool:
        """Whether it was revoked or has expired."""
        return self.revoked_at is not None or (self.expires_at is not None and self.expires_at <= now)
