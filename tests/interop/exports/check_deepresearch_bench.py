"""check_deepresearch_bench.py FOLDER EXPECTED: questions and articles as the benchmark reads them.

The benchmark is no package: its programs read both files line by line as JSON and join articles to
questions by the prompt, which is done here. The columns are read by pandas, too.
"""

import json
import sys
from pathlib import Path

import pandas
from expected import Expected, check, done, equal


def rows(path: Path) -> list[dict]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check_queries(queries: list[dict], expected: Expected) -> None:
    equal(len(queries), len(expected.tasks), "the number of questions")
    taken = {t["provenance"]["imported"].get("file_id") for t in expected.tasks}
    numbers = (n for n in range(1, 1000) if str(n) not in taken)
    for query, task in zip(queries, expected.tasks):
        equal(list(query), ["id", "topic", "language", "prompt", "canary"], "the fields of a question")
        own = task["provenance"]["imported"].get("file_id")
        is_number = own is not None and own.isdecimal() and str(int(own)) == own
        wanted = next(numbers) if own is None else int(own) if is_number else own
        equal(query["id"], wanted, f"the id of {task['id']}")
        equal(query["prompt"], task["task"], f"the prompt of {wanted}")
        equal(query["language"], task["language"], f"the language of {wanted}")
        topic = (task.get("facets") or {}).get("topic") or task["discipline"]
        equal(query["topic"], topic, f"the topic of {wanted}")
        equal(query["canary"], expected.set["canary"], f"the canary of {wanted}")
    ids = [query["id"] for query in queries]
    equal(len(set(map(str, ids))), len(ids), "the number of different ids")


def check_articles(files: list[Path], queries: list[dict], expected: Expected) -> int:
    by_prompt = {query["prompt"]: query for query in queries}
    ids = {task["task"]: task["id"] for task in expected.tasks}
    wanted: dict[tuple[str, int], dict[str, str]] = {}
    for report in expected.with_text():
        wanted.setdefault((report["agent"], report["attempt"]), {})[report["task"]] = report["text"]
    found = []
    for path in files:
        check(path.parent.name == "raw_data", f"{path} lies elsewhere")
        articles = {}
        for row in rows(path):
            equal(list(row), ["id", "prompt", "article", "canary"], "the fields of an article")
            equal(row["id"], by_prompt[row["prompt"]]["id"], f"the id of an article in {path.name}")
            articles[ids[row["prompt"]]] = row["article"]
        equal(len(pandas.read_json(path, lines=True)), len(articles), f"the rows of {path.name}")
        found.append(articles)
    order = lambda articles: json.dumps(articles, sort_keys=True)
    equal(sorted(map(order, found)), sorted(map(order, wanted.values())), "the articles")
    return sum(map(len, found))


def main() -> None:
    folder, expected = Path(sys.argv[1]), Expected(sys.argv[2])
    queries = rows(folder / "data/prompt_data/query.jsonl")
    check_queries(queries, expected)
    files = sorted((folder / "data/test_data/raw_data").rglob("*.jsonl"))
    articles = check_articles(files, queries, expected)
    equal(len(pandas.read_json(folder / "data/prompt_data/query.jsonl", lines=True)), len(queries), "the rows")
    done("pandas", questions=len(queries), files=len(files), articles=articles)


main()
