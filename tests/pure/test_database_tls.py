"""A database on another machine is reached over TLS, unless its address says otherwise."""

import pytest
from sqlalchemy import make_url

from headwater.database_tls import tls_arguments

REQUIRED = {"sslmode": "require"}


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://h:x@db.example/h",
        "postgresql://postgres/h",
        "postgresql+psycopg://10.0.0.7:5432/h",
        "postgresql://[2001:db8::7]/h",
        "postgresql://localhost,db.example/h",
        "postgresql:///h?host=db.example",
        "postgresql:///h?host=/run/postgresql&host=db.example",
    ],
)
def test_a_remote_database_is_reached_over_tls(url: str):
    assert tls_arguments(make_url(url), {}) == REQUIRED


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://localhost/h",
        "postgresql://127.0.0.1:5433/h",
        "postgresql://[::1]/h",
        "postgresql:///h",
        "postgresql:///h?host=/run/postgresql",
        "sqlite:////data/h.db",
        "postgresql://db.example/h?sslmode=disable",
        "postgresql://db.example/h?sslmode=verify-full",
    ],
)
def test_a_local_database_and_an_address_that_decides_need_nothing(url: str):
    assert tls_arguments(make_url(url), {}) == {}


def test_the_variable_of_the_driver_decides():
    assert tls_arguments(make_url("postgresql://db.example/h"), {"PGSSLMODE": "verify-full"}) == {}
