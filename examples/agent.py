"""An agent's day in one minute: see the catalogue, be refused a gated tool, load the skills, pass.

    python examples/agent.py                           # against `./crewlet up` on this machine
    CREWLET_URL=… CREWLET_TOKEN=… python examples/agent.py --watch

With `--watch` it stays and prints a skill's text again whenever an edit of its page arrives.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
try:
    import httpx
except ImportError:  # a plain Python: go on with the environment that ./crewlet made
    python = ROOT / ".venv/bin/python"
    if not python.exists() or Path(sys.prefix) == ROOT / ".venv":
        sys.exit("This example needs httpx. Run ./crewlet up once: it makes an environment that has it.")
    os.execv(python, [str(python), *sys.argv])  # noqa: S606  (this very program, in that environment)

options = argparse.ArgumentParser(description="An agent that uses a tool which is gated by a skill.")
options.add_argument("--url", default=os.environ.get("CREWLET_URL", "http://127.0.0.1:8000"))
options.add_argument("--token", default=os.environ.get("CREWLET_TOKEN"), help="absent: ask ./crewlet for one")
options.add_argument("--seat", default="booking-engineer", help="the seat to ask a token for")
options.add_argument("--tool", default="create_pull_request", help="the gated tool to try")
options.add_argument("--server", default="github", help="the MCP server that serves it")
options.add_argument("--watch", action="store_true", help="stay, and print the skill again when its page is edited")


def token_of(seat: str) -> str:
    """A token for the seat, good for a day."""
    command = [str(ROOT / "crewlet"), "iam", "token", "example-agent", "--seat", seat, "--days", "1"]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603  (our own program)
    if made.returncode:
        sys.exit("No token: see what ./crewlet said above.")
    return made.stdout.strip()


def main(args: argparse.Namespace) -> None:
    """Play the job once, then watch if asked to."""
    token = args.token or token_of(args.seat)
    with httpx.Client(base_url=f"{args.url}/api/v1", headers={"Authorization": f"Bearer {token}"}) as crewlet:

        def ask(method: str, path: str, **body: object) -> Any:
            answer = crewlet.request(method, path, json=body or None)
            if answer.is_error:
                sys.exit(f"{method} {path} answered {answer.status_code}: {answer.text}")
            return answer.json()

        tools = [args.tool, "load_tool_skill", "search_knowledge"]
        session = ask("POST", "/sessions", phase="execute", turn="example-1", tools=tools, servers=[args.server])
        print(session["catalogue"], end="\n\n")
        gate = f"/sessions/{session['id']}/gate"
        verdict = ask("POST", gate, tool=args.tool, server=args.server)
        print(verdict["message"] or f"{args.tool} is not gated.", end="\n\n")
        for key in verdict["missing"]:
            skill = ask("POST", f"/sessions/{session['id']}/load", key=key)
            print(f"# {skill['title']}\n\n{skill['body']}", end="\n\n")
        allowed = ask("POST", gate, tool=args.tool, server=args.server)["allowed"]
        print(f"{args.tool}: {'allowed' if allowed else 'still refused'}", flush=True)

        key, seen = (verdict["missing"] or session["skills"])[0], None
        while args.watch:
            skill = ask("GET", f"/skills/{key}")
            if seen is not None and skill["body"] != seen:
                print(f"\n{key} is now version {skill['page_version']}:\n\n{skill['body']}", flush=True)
            seen = skill["body"]
            time.sleep(0.5)


if __name__ == "__main__":
    try:
        main(options.parse_args())
    except KeyboardInterrupt:
        sys.exit(0)
    except httpx.TransportError as error:
        where = options.parse_args().url
        sys.exit(f"No answer at {where} ({error}). Is ./crewlet up running? For another port or machine give --url.")
