"""One process of the deployment: `python -m crewlet_site.child <name>`, as the supervisor starts it.

`web-1`, `web-2` … serve the listening socket whose number is in CREWLET_SOCKET; `indexer`, `worker` and `beat` are what
they are called. Ends on SIGTERM in its own time, and does not outlive the supervisor.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

from crewlet_site import readiness

GRACE_SECONDS = 10
_PARENT_IS_LOOKED_AT_EVERY = 1.0


def main(name: str) -> int:
    """Run the process called `name`; returns its exit code."""
    _follow_parent()
    os.environ["CREWLET_PROCESS"] = name
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crewlet_site.settings")
    from crewlet_site import logs

    logs.configure(process=name, data_dir=Path(os.environ["CREWLET_DATA_DIR"]))
    import structlog

    log = structlog.get_logger(__name__)
    role = name.partition("-")[0]
    try:
        return ROLES[role]()
    except Exception:
        log.exception("process_failed")
        return 1


def _web() -> int:
    import uvicorn

    (Path(os.environ["CREWLET_DATA_DIR"]) / "static").mkdir(exist_ok=True)  # WhiteNoise looks there, too
    sock = socket.socket(fileno=int(os.environ["CREWLET_SOCKET"]))
    config = uvicorn.Config(
        "crewlet_site.asgi:application",
        log_config=None,
        access_log=False,
        lifespan="on",
        proxy_headers=True,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS - 2,
    )

    class Server(uvicorn.Server):
        """Lets clients that wait for changes go before it waits for whatever is being answered."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            from crewlet_site.asgi import servers

            servers.end_streams()
            await super().shutdown(sockets)

    server = Server(config)
    server.run(sockets=[sock])
    return 0 if server.started else 1


def _indexer() -> int:
    import django

    django.setup()
    from crewlet_site.indexer import Indexer

    indexer = Indexer()
    signal.signal(signal.SIGTERM, lambda *_: indexer.stop())
    readiness.wait_for_go()
    indexer.run()
    return 0


def _worker() -> int:
    import warnings

    from celery.exceptions import SecurityWarning

    from crewlet_site.celery import app

    # Under root it warns of pickled messages; ours are JSON, and nothing else is accepted.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    # Celery would have Django check everything, screens and addresses included, which loads a web process's code: a
    # third of a start. `./crewlet check` and the tests have done that.
    os.environ["CELERY_SKIP_CHECKS"] = "true"
    app.loader.init_worker()
    # Threads: one process to start and to stop; the duties wait for the database and for providers most of the time.
    worker = app.Worker(
        pool_cls="threads", concurrency=4, loglevel="INFO", quiet=True, without_gossip=True, without_mingle=True
    )
    readiness.wait_for_go()
    worker.start()
    return int(worker.exitcode or 0)


def _beat() -> int:
    from celery.apps.beat import Beat

    from crewlet_site.celery import app

    class NameCaller(Beat):
        """Beat asks for duties by name, so it loads none of the code that does them."""

        def init_loader(self) -> None:
            app.finalize()

    kept = Path(os.environ["CREWLET_DATA_DIR"]) / "run" / "beat"
    readiness.wait_for_go()
    NameCaller(app=app, loglevel="INFO", quiet=True, schedule=str(kept)).run()
    return 0


ROLES = {"web": _web, "indexer": _indexer, "worker": _worker, "beat": _beat}


def _follow_parent() -> None:
    """End when the supervisor has gone: the kernel says so where it can, and everywhere a thread looks after it.

    The thread also ends a process that does not come to its end in time after that.
    """
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_IS_LOOKED_AT_EVERY)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=look, name="parent", daemon=True).start()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
