"""PDF and office files: speed and text compared with pdfplumber, correctness of layouts, and hostile files.

The PDFs are made here with reportlab, and with LibreOffice where it is installed; the damaged files are mutations of the samples that the tests use.
"""

import argparse
import io
import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

import pdfplumber
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.pure.test_extract_samples import DOCX_BODY, W, make_docx, make_zip, mutations, samples, sentence

from benchmarks.reading.office import office_program, office_table, office_texts
from benchmarks.reading.printed import flowing, form, scan, tabular
from headwater.extract.pdf.reader import read_pdf
from headwater.extract.plain_text import read_plain
from headwater.extract.reader import read_any
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading

NONE = ExtractHints()
MEMORY_LIMIT = 512


def plumbed(data: bytes) -> str:
    with pdfplumber.open(io.BytesIO(data)) as document:
        return "\n".join(page.extract_text() for page in document.pages)


def ours(data: bytes) -> str:
    reading = read_pdf(data, NONE)
    assert isinstance(reading, Reading), reading
    return reading.text


def recall(gold: list[str], text: str) -> float:
    gold_counts, text_counts = Counter(gold), Counter(text.replace("#", " ").split())
    return sum(min(count, text_counts[word]) for word, count in gold_counts.items()) / len(gold)


def texts() -> dict[str, tuple[bytes, list[str]]]:
    """Text-only PDFs by reportlab, and by LibreOffice where it is installed."""
    generated = {name: flowing(60, columns) for name, columns in (("one column", 1), ("two columns", 2))}
    program = office_program()
    if program is None:
        print("LibreOffice is not installed: its PDFs are left out")
    return generated | (office_texts(program) if program else {})


def measure_speed(rounds: int) -> dict[str, object]:
    print(
        f"{'text-only PDF':26} {'pages':>6} {'headwater':>10} {'pdfplumber':>11} {'times':>6} {'text':>7} {'its':>7}"
    )
    totals = {"headwater": 0.0, "pdfplumber": 0.0}
    recalls = {"headwater": 1.0, "pdfplumber": 1.0}
    for name, (data, gold) in texts().items():
        pages = len(pdfplumber.open(io.BytesIO(data)).pages)
        best = {"headwater": float("inf"), "pdfplumber": float("inf")}
        for _ in range(rounds):
            for reader, call in (("headwater", ours), ("pdfplumber", plumbed)):
                start = time.process_time()
                call(data)
                best[reader] = min(best[reader], time.process_time() - start)
        recall_by_reader = {"headwater": recall(gold, ours(data)), "pdfplumber": recall(gold, plumbed(data))}
        for reader, seconds in best.items():
            totals[reader] += seconds
            recalls[reader] = min(recalls[reader], recall_by_reader[reader])
        ratio = best["pdfplumber"] / best["headwater"]
        per_page = {reader: 1000 * seconds / pages for reader, seconds in best.items()}
        print(
            f"{name:26} {pages:6} {per_page['headwater']:7.2f} ms {per_page['pdfplumber']:8.2f} ms {ratio:6.1f} "
            f"{recall_by_reader['headwater']:7.4f} {recall_by_reader['pdfplumber']:7.4f}"
        )
    return {
        "times_faster_than_pdfplumber": round(totals["pdfplumber"] / totals["headwater"], 1),
        "least_recall": {reader: round(value, 4) for reader, value in recalls.items()},
    }


def check_layouts() -> dict[str, bool]:
    """Compares each layout with its input."""
    data, gold = flowing(30, 2)
    text = ours(data)
    rows_data, rows = tabular()
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows[1:])
    filled = read_pdf(form(), NONE)
    fields = filled.attributes.get("form_fields", []) if isinstance(filled, Reading) else []
    pictures = read_pdf(scan(), NONE)
    with pdfplumber.open(io.BytesIO(rows_data)) as peer:
        peer_rows = peer.pages[0].extract_table()
    checks = {
        "columns in order": [word for word in text.split() if word.strip("#")] == gold,
        "running heads removed": "Harbour Board" not in text and "Page 1" not in text,
        "headings": text.count("# Section") == 30,
        "ruled table": table in ours(rows_data),
        "ruled table as pdfplumber": peer_rows == rows,
        "form fields": [(field["name"], field["value"]) for field in fields][:2]
        == [("name", "Ilse Brandt"), ("turn", "Morning")],
        "required field": bool(fields) and fields[0]["required"],
        "scan": not isinstance(pictures, Reading) and pictures.reason == "requires_ocr",
    }
    if (program := office_program()) is not None:
        office_data, office_rows = office_table(program)
        expected = "\n".join(f"| {' | '.join(row)} |" for row in office_rows[1:])
        checks["ruled table, LibreOffice"] = expected in ours(office_data)
    print()
    for name, passed in checks.items():
        print(f"{name:32} {'as made' if passed else 'WRONG'}")
    return checks


def peak_of_children() -> float:
    """The peak memory of a child so far, in MB."""
    peak = 0
    for child in psutil.Process().children():
        status = Path(f"/proc/{child.pid}/status")
        if status.exists():
            lines = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
            peak = max([peak, *(int(line.split()[1]) for line in lines)])
    return peak * 1024 / 1e6


def damage(count: int, seconds: float) -> dict[str, object]:
    """Damaged files through one sandbox: results, the longest time, and the peak memory."""
    extract = Sandboxed(read_any, seconds=seconds, megabytes=MEMORY_LIMIT)
    ends: Counter[str] = Counter()
    longest = peak = 0.0
    kinds = sorted(samples().items())
    for kind, data in kinds:
        for changed in mutations(kind, data, -(-count // len(kinds))):
            end, elapsed = ending(extract, changed)
            ends[end] += 1
            longest, peak = max(longest, elapsed), max(peak, peak_of_children())
    for name, data in bombs().items():
        end, elapsed = ending(extract, data)
        print(f"{name:32} {end:24} {elapsed:6.2f} s")
        ends[end] += 1
        longest, peak = max(longest, elapsed), max(peak, peak_of_children())
    extract.close()
    print(f"\n{sum(ends.values())} damaged and hostile files: {dict(ends.most_common())}")
    return {
        "papers": sum(ends.values()),
        "ends": dict(ends),
        "errors": sum(count for end, count in ends.items() if end.startswith("error:")),
        "longest_seconds": round(longest, 2),
        "worker_peak_mb": round(peak),
    }


def ending(extract: Sandboxed, data: bytes) -> tuple[str, float]:
    start = time.perf_counter()
    try:
        reading = extract(data, NONE)
    except Permanent as error:
        end = error.reason
    else:
        end = "text" if isinstance(reading, Reading) else reading.reason
    return end, time.perf_counter() - start


def bombs() -> dict[str, bytes]:
    laughs = '<!DOCTYPE a [<!ENTITY l0 "ha">' + "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)
    )
    chance = random.Random(1)
    return {
        "zip bomb": make_docx("<w:p><w:r><w:t>" + "A" * 60_000_000 + "</w:t></w:r></w:p>"),
        "billion laughs": f"{laughs}]><a>&l9;</a>".encode(),
        "external entity": b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        "deep xml": b"<n>" * 1_000_000,
        "deep rtf": b"{\\rtf1" + b"{" * 5_000_000,
        "large docx": make_docx(DOCX_BODY * 4_000),
        "wide table": make_zip(
            {"word/document.xml": f"<w:document {W}><w:body>{'<w:tbl>' * 100_000}</w:body></w:document>"}
        ),
        "noise": chance.randbytes(20_000_000),
        "plain, 50 MB": b"words of a very long text \n" * 2_000_000,
    }


def overhead() -> tuple[float, float]:
    """The overhead of the sandbox for a document of 50 KB, in milliseconds: wall time, the least of many short rounds; and
    CPU time of both processes, which varies less on a busy machine."""
    data = (sentence(1, 10) + " ").encode() * (50_000 // len(sentence(1, 10)))
    extract = Sandboxed(read_plain)
    extract(data, NONE)
    best = {"here": float("inf"), "there": float("inf")}
    spent = {"here": 0.0, "there": 0.0}
    for _ in range(100):
        for name, call in (("here", read_plain), ("there", extract)):
            start, cpu_start = time.perf_counter(), processor_time()
            for _ in range(5):
                call(data, NONE)
            best[name] = min(best[name], (time.perf_counter() - start) / 5)
            spent[name] += processor_time() - cpu_start
    extract.close()
    return 1000 * (best["there"] - best["here"]), 1000 * (spent["there"] - spent["here"]) / 500


def processor_time() -> float:
    """CPU seconds of this process and its children so far."""
    children = [child.cpu_times() for child in psutil.Process().children()]
    return time.process_time() + sum(times.user + times.system for times in children)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    report: dict[str, object] = {"benchmark": "papers"}
    report |= measure_speed(2 if options.quick else 5)
    report["layouts"] = check_layouts()
    waited, used = overhead()
    report |= {"sandbox_overhead_ms": round(waited, 3), "sandbox_overhead_cpu_ms": round(used, 3)}
    print(f"\nsandbox, per document of 50 KB: {waited:.3f} ms of waiting, {used:.3f} ms of processor time\n")
    report["hostile"] = damage(200 if options.quick else 2_000, 30.0)
    report["processors"] = os.cpu_count()
    print(json.dumps(report))


if __name__ == "__main__":
    main()
