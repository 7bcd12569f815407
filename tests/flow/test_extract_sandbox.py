"""Extraction in child processes: one may die, hang or use too much memory, and only its document fails."""

import ctypes
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from tests.pure.test_extract_samples import make_pdf, make_zip, pdf_page, samples
from tests.support.deadline import DEADLINE

import headwater
from headwater.extract.reader import read_any
from headwater.extract.sandbox.batch import BatchExtractor
from headwater.extract.sandbox.pool import close_all
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.errors import Permanent, Refused
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

NONE = ExtractHints()


def misbehave(word: str) -> None:
    match word:
        case "die":
            os.kill(os.getpid(), 9)
        case "crash":
            ctypes.string_at(0)  # the kernel logs "segfault at 0 ... in libc.so.6"
        case "exit":
            os._exit(3)
        case "hang":
            time.sleep(60)
        case "spin":
            pow(3, 10**9)  # one instruction of the interpreter: no Python signal handler gets a turn
        case "swell":
            bytearray(2_000_000_000)
        case "raise":
            raise ValueError("a\nb" + "\ud800")
        case "never":
            raise Permanent("because", "detail")
        case "print":
            os.write(1, b"not an answer")


@dataclass(frozen=True)
class ObedientExtractor:
    """Does what the document says."""

    prefix: str = ""

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        word = data.decode()
        misbehave(word)
        if word == "refuse":
            return Unreadable("no_text", "empty")
        return Reading(
            text=self.prefix + word, plain=str(os.getpid()), attributes={"a": [1, None, {"b": "c"}]}
        )


@pytest.fixture
def sandboxed():
    extractor = Sandboxed(ObedientExtractor("said "), seconds=20.0)
    yield extractor
    extractor.close()


def reason(extract: Sandboxed, word: str) -> str:
    with pytest.raises(Permanent) as raised:
        extract(word.encode(), NONE)
    return raised.value.reason


def test_a_child_reads_many_documents(sandboxed: Sandboxed) -> None:
    first, second = sandboxed(b"one", NONE), sandboxed(b"two", NONE)
    assert isinstance(first, Reading)
    assert isinstance(second, Reading)
    assert (first.text, second.text) == ("said one", "said two")
    assert first.plain == second.plain != str(os.getpid())
    assert first.attributes == {"a": [1, None, {"b": "c"}]}
    assert sandboxed(b"refuse", NONE) == Unreadable("no_text", "empty")
    assert isinstance(sandboxed(b"print", NONE), Reading)


@pytest.mark.parametrize("word", ["die", "crash", "exit"])
def test_a_document_that_kills_its_child_is_reported_and_the_others_are_read(
    sandboxed: Sandboxed, word: str
) -> None:
    assert isinstance(sandboxed(b"before", NONE), Reading)
    assert reason(sandboxed, word) == "extractor_died"
    assert isinstance(sandboxed(b"after", NONE), Reading)


def test_an_error_of_the_extractor_becomes_a_reason(sandboxed: Sandboxed) -> None:
    assert reason(sandboxed, "raise") == "error:ValueError"
    assert reason(sandboxed, "never") == "because"
    assert isinstance(sandboxed(b"after", NONE), Reading)


@pytest.mark.parametrize("word", ["hang", "spin"])
def test_time_is_limited_even_where_no_signal_handler_runs(word: str) -> None:
    quick = Sandboxed(ObedientExtractor(), seconds=0.3)
    assert reason(quick, word) == "extractor_timeout"
    assert isinstance(quick(b"after", NONE), Reading)
    quick.close()


def test_a_failure_is_remembered_so_that_halving_a_batch_costs_one_child() -> None:
    quick = Sandboxed(ObedientExtractor("again"), seconds=0.3)
    assert reason(quick, "hang") == "extractor_timeout"
    children = {child.pid for child in psutil.Process().children()}
    assert reason(quick, "hang") == "extractor_timeout"
    assert {child.pid for child in psutil.Process().children()} == children
    quick.close()


def test_memory_is_limited() -> None:
    small = Sandboxed(ObedientExtractor(), megabytes=256)
    assert reason(small, "swell") == "extractor_memory"
    assert isinstance(small(b"after", NONE), Reading)
    small.close()


def test_size_is_checked_first() -> None:
    outcome = Sandboxed(ObedientExtractor(), largest=3)(b"four", NONE)
    assert outcome == Unreadable("too_large", "4 bytes; at most 3 are read")


def test_an_extractor_that_cannot_be_pickled_is_refused() -> None:
    with pytest.raises(Refused, match="not_importable"):
        Sandboxed(lambda data, hints: Unreadable("x"))(b"", NONE)


def test_threads_have_children_of_their_own(sandboxed: Sandboxed) -> None:
    readings: list = []
    threads = [
        threading.Thread(target=lambda n=n: readings.append(sandboxed(f"{n}".encode(), NONE)))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(reading.text for reading in readings) == [f"said {n}" for n in range(4)]


def send_text(extract: Sandboxed, answers: "multiprocessing.Queue[str]") -> None:
    outcome = extract(b"hello", NONE)
    answers.put(outcome.text if isinstance(outcome, Reading) else outcome.reason)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_the_sandbox_works_in_worker_processes(method: str, sandboxed: Sandboxed) -> None:
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    worker = context.Process(target=send_text, args=(Sandboxed(read_any), answers))
    worker.start()
    assert answers.get(timeout=DEADLINE) == "hello"
    worker.join(DEADLINE)
    assert worker.exitcode == 0


FORKING = """
import os, sys
from headwater.extract.plain_text import read_plain
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.outcomes import ExtractHints
extract = Sandboxed(read_plain)
assert extract(b"parent", ExtractHints()).text == "parent"
if (pid := os.fork()) == 0:
    ok = extract(b"child", ExtractHints()).text == "child"
    sys.stdout.flush()
    os._exit(0 if ok else 5)
_, status = os.waitpid(pid, 0)
assert extract(b"again", ExtractHints()).text == "again"
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_a_forked_process_gets_children_of_its_own() -> None:
    completed = subprocess.run([sys.executable, "-W", "error", "-c", FORKING], check=False, timeout=DEADLINE)
    assert completed.returncode == 0


ORPHANING = """
import os, sys
from headwater.extract.plain_text import read_plain
from headwater.extract.sandbox.pool import _pools
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.outcomes import ExtractHints
Sandboxed(read_plain)(b"x", ExtractHints())
print(next(iter(_pools.values())).idle[0].process.pid, flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("end", ["normal", "killed"])
def test_children_end_with_their_parent(end: str) -> None:
    completed = subprocess.run(
        [sys.executable, "-W", "error", "-c", ORPHANING, end],
        stdout=subprocess.PIPE,
        check=False,
        timeout=DEADLINE,
    )
    pid = int(completed.stdout)
    with suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(timeout=DEADLINE)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_the_public_call_returns_a_document() -> None:
    data = samples()["pdf"]
    document = headwater.read(data, url="https://north.example/dues.pdf", media_type="text/html")
    assert (document.title, document.media_type) == ("Harbour dues", "application/pdf")
    assert document.url == "https://north.example/dues.pdf"
    assert document.id == headwater.read(data).id
    assert document.trail[0].step == "extract"
    with pytest.raises(Permanent, match="unsupported"):
        headwater.read(make_zip({"a": "b"}))
    with pytest.raises(AttributeError):
        headwater.reed  # noqa: B018
    close_all()


def test_a_batch_is_read_in_parallel_and_errors_are_results(sandboxed: Sandboxed) -> None:
    with BatchExtractor(sandboxed, 2) as batch:
        for word in ("one", "die", "two"):
            batch.submit(word, lambda word=word: (word.encode(), NONE))
        results = {}
        while batch.in_flight:
            results |= {result.name: result.reading for _, result in batch.take_results(5.0)}
    assert results["die"] == Unreadable("extractor_died", "its process ended with SIGKILL")
    assert isinstance(results["one"], Reading)
    assert isinstance(results["two"], Reading)


def test_a_sandboxed_reading_equals_one_in_this_process(tmp_path: Path) -> None:
    sandboxed = Sandboxed(read_any)
    for data in (*samples().values(), make_pdf([pdf_page(3)])):
        assert sandboxed(data, NONE) == read_any(data, NONE)
    sandboxed.close()
