"""Makes the site's tables, one reader, the wiki's root and one article; prints the reader's session and the address.

Run as `python -m bench.django_wiki.seed`, with the article's markdown on standard input. A session made here is the row
that signing in through the form would make.
"""

import json
import os
import sys
from typing import Any

import django


def main() -> None:
    """Seed once and print `{"cookie": …, "path": …}`."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
    from django.contrib.sessions.backends.db import SessionStore
    from django.core.management import call_command
    from wiki.models import URLPath

    call_command("migrate", verbosity=0)
    users: Any = get_user_model()  # this site's users are Django's, not the product's
    reader = users.objects.create_user("reader", password=None)
    root = URLPath.create_root(title="Root", content="")
    page = URLPath.create_urlpath(root, "page", title="Page", content=sys.stdin.read(), user_message="", user=reader)
    session = SessionStore()
    session[SESSION_KEY] = str(reader.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = reader.get_session_auth_hash()
    session.save()
    print(json.dumps({"cookie": f"sessionid={session.session_key}", "path": page.get_absolute_url()}))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.django_wiki.settings")
    django.setup()
    main()
