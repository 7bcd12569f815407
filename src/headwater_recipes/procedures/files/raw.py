"""What came over the wire, beside what was made of it: the last two versions of every page."""

from headwater.model.capture import Capture
from headwater.pure.responses import header
from headwater_recipes.procedures.files.layout import Layout, as_json, read_json, write

ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/rtf": ".rtf",
    "text/plain": ".txt",
}
META = ".meta.json"
UNKEPT = frozenset({"set-cookie", "set-cookie2", "authorization", "www-authenticate"})


def keep_raw(layout: Layout, capture: Capture, body: bytes) -> None:
    """`{hash}.html` and `{hash}.meta.json`; the version before as `{hash}.previous.…`. The meta file is written last:
    it tells which body is the present one."""
    ending = ENDINGS.get(capture.media_type, ".bin")
    meta_path = layout.raw(capture.final_url, META)
    known = read_json(meta_path)
    if known and known.get("sha256") == capture.sha256:
        return
    if known:
        _keep_previous(layout, capture.final_url, known)
    write(layout.raw(capture.final_url, ending), body)
    write(meta_path, as_json(_meta(capture, ending)))


def _keep_previous(layout: Layout, url: str, known: dict[str, str]) -> None:
    ending = str(known.get("ending", ".html"))
    body = layout.raw(url, ending)
    if body.is_file():
        write(layout.raw(url, f".previous{ending}"), body.read_bytes())
        write(layout.raw(url, f".previous{META}"), as_json(known))


def _meta(capture: Capture, ending: str) -> dict[str, object]:
    return {
        "url": capture.url,
        "final_url": capture.final_url,
        "status": capture.status,
        "headers": {name: value for name, value in capture.headers.items() if name.lower() not in UNKEPT},
        "etag": header(capture.headers, "etag"),
        "last_modified": header(capture.headers, "last-modified"),
        "media_type": capture.media_type,
        "sha256": capture.sha256,
        "size": capture.size,
        "fetched_at": capture.fetched_at.isoformat(),
        "ending": ending,
    }
