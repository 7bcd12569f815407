"""Each queue carries one task of one recipe; a worker serves the queues it names."""

import pytest

from headwater.model.errors import Refused
from headwater.model.jobs import QUEUED_TASKS, Job, Task
from headwater.runtime.celery.queues import MAINTENANCE_QUEUE, QUEUE_WORDS, queue_name, worker_roles


def test_every_task_of_every_recipe_has_a_queue_of_its_own():
    jobs = [Job(recipe, task) for recipe in ("crypto", "markets") for task in QUEUED_TASKS]
    assert queue_name(jobs[0]) == "headwater.crypto.poll"
    assert len({*map(queue_name, jobs), MAINTENANCE_QUEUE}) == 13


def test_all_names_every_queue_once_and_network_and_local_work_never_share_a_process():
    network, local = worker_roles("all", ["crypto", "markets"], 3)
    assert (network.name, network.concurrency) == ("network", 1)
    assert (local.name, local.concurrency) == ("local", 3)
    assert {job.task for job in network.jobs} == {Task.POLL, Task.FETCH}
    assert {job.task for job in local.jobs} == {Task.REFINE, Task.GATHER, Task.DELIVER, Task.REPLAY}
    assert len({*network.queues, *local.queues}) == 13


def test_a_replay_has_a_queue_of_its_own_and_comes_last_where_one_worker_serves_all():
    assert queue_name(Job("crypto", Task.REPLAY)) == "headwater.crypto.replay"
    _, local = worker_roles("all", ["crypto", "markets"], 1)
    assert [job.task for job in local.jobs][-2:] == [Task.REPLAY, Task.REPLAY]
    (alone,) = worker_roles("replay", ["crypto"], 4)
    assert (alone.name, alone.queues, alone.concurrency) == ("local", ("headwater.crypto.replay",), 4)


def test_only_the_named_queues_are_served():
    (local,) = worker_roles("refine, deliver", ["crypto"], 2)
    assert local.queues == ("headwater.crypto.refine", "headwater.crypto.deliver")
    (network,) = worker_roles("fetch", ["crypto"], 8)
    assert (network.queues, network.concurrency) == (("headwater.crypto.fetch",), 1)
    (maintenance,) = worker_roles("maintenance", ["crypto"], 1)
    assert maintenance.queues == (MAINTENANCE_QUEUE,)


@pytest.mark.parametrize("words", ["mow", "refine,mow", "", " , "])
def test_an_unknown_queue_is_refused_with_the_choices(words: str):
    with pytest.raises(Refused) as refused:
        worker_roles(words, ["crypto"], 1)
    assert all(word in refused.value.detail for word in QUEUE_WORDS)
