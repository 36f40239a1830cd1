"""Makes the site's tables, one reader, the wiki's root and one article; prints the article's address.

Run as `python -m bench.django_wiki.seed`, with the article's markdown on standard input and the reader's password in
WIKI_READER_PASSWORD.
"""

import json
import os
import sys
from typing import Any

import django


def main() -> None:
    """Seed once and print `{"path": …}`."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from wiki.models import URLPath

    call_command("migrate", verbosity=0)
    users: Any = get_user_model()  # this site's users are Django's, not the product's
    reader = users.objects.create_user("reader", password=os.environ["WIKI_READER_PASSWORD"])
    root = URLPath.create_root(title="Root", content="")
    page = URLPath.create_urlpath(root, "page", title="Page", content=sys.stdin.read(), user_message="", user=reader)
    print(json.dumps({"path": page.get_absolute_url()}))


if __name__ == "__main__":
    django.setup()
    main()
