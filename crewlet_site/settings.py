"""Django's settings, derived from `crewlet_site.environment`."""

from __future__ import annotations

import os
import secrets
from datetime import timedelta
from pathlib import Path

import dj_database_url

from crewlet_site.environment import ROOT, metrics_folder, read_environment, storage_of

ENVIRONMENT = read_environment()
BASE_DIR = ROOT
DATA_DIR: Path = ENVIRONMENT.data_dir
# The metrics client reads where its counters are shared when it is first loaded, by whomever.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics_folder(DATA_DIR))
INDEX_DIR = DATA_DIR / "index"  # this host's lexical index; it may be deleted at any time
PROCESS = ENVIRONMENT.process


def _kept_secret_key() -> str:
    """The key of the environment, else the one kept in the data directory, made on first use."""
    if ENVIRONMENT.secret_key:
        return ENVIRONMENT.secret_key
    path = DATA_DIR / "secret_key"
    if not path.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        fresh = DATA_DIR / f"secret_key.{secrets.token_hex(4)}"
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        try:
            path.hardlink_to(fresh)  # of two processes that start at once, the first one's key is kept
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()


SECRET_KEY = _kept_secret_key()
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = ENVIRONMENT.allowed_hosts

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "drf_standardized_errors",
    "company",
    "knowledge",
    "skills",
    "tracker",
    "crewlet_site",
]

MIDDLEWARE = [
    "crewlet_site.metrics.measured",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "company.api.rates.rate_limits",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "company.views.screens.DatabaseAway",
]

ROOT_URLCONF = "crewlet_site.urls"
ASGI_APPLICATION = "crewlet_site.asgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "company.views.screens.frame",
            ],
        },
    }
]

DATABASES = {"default": dj_database_url.parse(ENVIRONMENT.database_url)}
DATABASES["default"].setdefault("OPTIONS", {})
DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 28, "timeout": 10}
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True  # a server that was restarted is noticed before a query is lost
REDIS_URL = ENVIRONMENT.redis_url

AUTH_USER_MODEL = "company.Person"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AUTHENTICATION_BACKENDS = ["company.reads.sessions.People"]
SESSION_ENGINE = "company.reads.sessions"
LOGIN_URL = "/sign-in"
CSRF_FAILURE_VIEW = "company.views.screens.forbidden"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENVIRONMENT.secure
SECURE_HSTS_SECONDS = 31_536_000 if ENVIRONMENT.secure else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Nothing is allowed that the screens do not use themselves; the wall behind the renderer of markdown.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
WHITENOISE_USE_FINDERS = True

DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},  # nothing is kept outside of the two below
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "attachments": storage_of(ENVIRONMENT.attachments_url, folder=DATA_DIR / "attachments"),
}

SEARCH_HOSTS: list[str] = ENVIRONMENT.search_hosts  # large searches of words are divided over them
SEARCH_HOST: str = ENVIRONMENT.search_host

NOTIFICATIONS_KEPT = timedelta(days=ENVIRONMENT.notifications_days)
RATE_LIMITS = ENVIRONMENT.rate_limits == "on"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "company.api.authentication.BearerAuthentication",
        "company.api.authentication.BrowserSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["company.api.authentication.HasActor"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["company.api.parsers.BoundedJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "company.api.schema.DoorSchema",
    "EXCEPTION_HANDLER": "company.api.errors.answer_error",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Crewlet",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": {
        "ActorKindEnum": ["agent", "human", "operator"],
        "PageStatusEnum": "knowledge.models.PageStatus.values",
        "ItemStatusEnum": "tracker.models.STATUSES",
        "PhaseEnum": "skills.tool_skills.rules.documents.PHASES",
    },
    "SERVE_INCLUDE_SCHEMA": False,
}

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)  # the broker's name for the same socket
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
LOGGING_CONFIG = None  # `crewlet_site.logs` sets logging up, for each kind of process
