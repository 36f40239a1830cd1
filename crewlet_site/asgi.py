"""The ASGI application a web process serves."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crewlet_site.settings")

application = get_asgi_application()
