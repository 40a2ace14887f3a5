"""serve_argilla.py FOLDER PORT: Argilla's own server on loopback, with SQLite in FOLDER.

It runs without a search engine and without Redis: nothing is searched here, and jobs are left out. All else
(what fields, questions, metadata and responses may be, what is stored, who may answer) is the server's own.
"""

import asyncio
import os
import sys
from pathlib import Path

folder, port = Path(sys.argv[1]), int(sys.argv[2])
os.environ |= {
    "ARGILLA_HOME_PATH": str(folder),
    "ARGILLA_DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'argilla.db'}",
    "ARGILLA_ENABLE_TELEMETRY": "0",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}

import rq
import uvicorn

rq.Queue.enqueue = lambda *_, **__: None
rq.Queue.enqueue_call = lambda *_, **__: None

from argilla_server.cli.database.migrate import migrate_db
from argilla_server.search_engine.base import SearchEngine


async def nothing(self, *_, **__):
    return {}


async def new_instance(cls):
    return cls()


# Whatever the server asks of its search engine is answered with nothing.
none = dict.fromkeys(SearchEngine.__abstractmethods__, nothing)
none["new_instance"] = classmethod(new_instance)
engine = type("NoSearch", (SearchEngine,), none)
SearchEngine.registered_classes["elasticsearch"] = engine

migrate_db("head")

from argilla_server._app import app
from argilla_server.constants import DEFAULT_API_KEY
from argilla_server.contexts import accounts
from argilla_server.database import AsyncSessionLocal
from argilla_server.models import UserRole, Workspace


async def people() -> None:
    """An owner with a known key, three people who score, and the workspace that they share."""
    async with AsyncSessionLocal() as db:
        await Workspace.create(db, name="reports")
        for name in ["owner", "ann", "bo", "cy"]:
            role = UserRole.owner if name == "owner" else UserRole.annotator
            user = await accounts.create_user(
                db,
                {"first_name": name, "last_name": None, "username": name, "role": role, "password": "12345678"},
                workspaces=None if role == UserRole.owner else ["reports"],
            )
            user.api_key = DEFAULT_API_KEY if name == "owner" else f"key-of-{name}"
        await db.commit()


asyncio.run(people())
uvicorn.run(app, host="127.0.0.1", port=port, lifespan="off", log_level="warning")
