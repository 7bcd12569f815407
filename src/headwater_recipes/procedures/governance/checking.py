"""A knowledge base checked as a whole, as its reader will load it."""

from pathlib import Path
from typing import Any

from headwater_recipes.procedures.files.seal import SEAL
from headwater_recipes.procedures.governance.policy import judge
from headwater_recipes.procedures.registry.registry import packaged
from headwater_recipes.procedures.schema import problems
from headwater_recipes.procedures.search import load, strangers


def check_folder(folder: Path) -> dict[str, Any]:
    """Every file's problems. Files that people wrote follow an older form: those are only asked for what the reader
    needs."""
    found = []
    documents = list(load(folder)) if folder.is_dir() else []
    for stem, told in documents:
        complaints = (
            problems(told)
            if SEAL in told
            else [f"{name} is missing" for name in ("keywords", "nombre") if not told.get(name)]
        )
        if told.get("tramite", stem) != stem:
            complaints.append(f"its name says {stem}, its field tramite {told['tramite']}")
        url = str(told.get("fuente_url") or "")
        if url and not (verdict := judge(url, packaged())).allowed:
            complaints.append(f"its address may not be cited: {verdict.rule}")
        found += [{"file": f"{stem}.json", "problem": one} for one in complaints]
    found += [
        {"file": f"{stem}.json", "problem": f"its own name finds {other} instead"}
        for stem, other in strangers(folder)
    ]
    return {"files": len(documents), "problems": found}
