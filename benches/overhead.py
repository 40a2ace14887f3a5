"""The peer of overhead.rs: the same loop with the `openai` client and asyncio.

A call renders a prompt, hashes the request, sends it with a schema, checks the reply with pydantic, and commits it to
SQLite. Prints one JSON value: how many were scored and the seconds of the loop, without Python's start.
"""

import asyncio
import hashlib
import json
import sqlite3
import sys
import tempfile
import time
from typing import Annotated, Literal

import openai
import pydantic


class Pick(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    winner: Literal["A", "B"]
    confidence: Annotated[float, pydantic.Field(ge=0.5, le=1.0)]


SCHEMA = {"name": "rank_pick", "strict": True, "schema": Pick.model_json_schema()}


async def ask(client, database, number):
    user = f"Which is better? [x\nSurvey river {number}.\nx] [y\nMeasure the pitch of gravel.\ny]"
    request = {
        "model": "fast",
        "messages": [
            {"role": "system", "content": "You compare two research tasks."},
            {"role": "user", "content": user},
        ],
        "max_tokens": 60,
        "temperature": 0,
        "seed": 0,
        "response_format": {"type": "json_schema", "json_schema": SCHEMA},
    }
    on_record = json.dumps(request, sort_keys=True)
    key = hashlib.sha256(on_record.encode()).hexdigest()
    known = database.execute("SELECT reply FROM call WHERE id = ?", (key,)).fetchone()
    assert known is None
    reply = await client.chat.completions.create(**request)
    text = reply.choices[0].message.content
    pick = Pick.model_validate_json(text)
    with database:
        database.execute(
            "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?)",
            (key, on_record, text, reply.model, reply.usage.prompt_tokens, reply.usage.completion_tokens),
        )
    return pick.winner == "A"


async def main(url, calls, in_flight):
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(f"{folder}/calls.db")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(
            "CREATE TABLE call (id TEXT PRIMARY KEY, request TEXT, reply TEXT, model TEXT, input INTEGER, output INTEGER)"
        )
        client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        numbers = iter(range(calls))
        scored = 0

        async def work():
            nonlocal scored
            for number in numbers:
                good = await ask(client, database, number)
                scored += good

        began = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(in_flight)))
        seconds = time.perf_counter() - began
        print(json.dumps({"scored": scored, "seconds": seconds}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
