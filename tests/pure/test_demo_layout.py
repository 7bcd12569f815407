"""The demo stands on its own and stays small enough to read."""

import ast
from pathlib import Path

import headwater_demo
from headwater_demo.sites import SITES
from headwater_demo.world import create_world

FILES = sorted(Path(headwater_demo.__file__).parent.rglob("*.py"))


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_no_file_imports_the_engine_or_is_too_long():
    assert len(FILES) > 50
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        roots = {name.partition(".")[0] for name in imported(ast.parse(source))}
        assert not roots & {"headwater", "headwater_recipes"}, path
        assert len(source.splitlines()) <= 300, path


def test_every_host_is_reserved_and_served_by_one_site_only():
    world = create_world(size="full")
    hosts = [site.host for build in SITES for site in build(world)]
    assert len(hosts) == len(set(hosts))
    # Only names below gob.es pass the citation policy of the assistant that reads procedures.
    assert all(host.endswith((".example", ".demo.gob.es")) for host in hosts)
