"""Every number that the dashboard and the alerts ask for is one that `/metrics` has, with the labels they use."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from prometheus_client.metrics_core import Metric

from bobctx.api.metrics import Metrics

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana-dashboard.json").read_text("utf-8"))
QUERIES = [(p["title"], t["expr"]) for p in DASHBOARD["panels"] for t in p["targets"]] + [
    ("alert", line.split(":", 1)[1]) for line in (DEPLOY / "alerts.yml").read_text().splitlines() if "expr:" in line
]
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}
ASKED_FOR = (
    "by mode", "bypass", "cached share", "net cost", "oldest uncompacted", "rejected claims", "chain breaks", "p99",
    "spend against",
)  # fmt: skip


def known() -> dict[str, tuple[str, ...]]:
    """Names as they are scraped, with their labels."""
    found = {}
    families: list[Metric] = list(Metrics().registry.collect())
    labels = {m._name: m._labelnames for m in Metrics().registry._collector_to_names}  # type: ignore[attr-defined]
    for family in families:
        for suffix in SUFFIXES[family.type]:
            found[family.name + suffix] = tuple(labels[family.name]) + (("le",) if suffix == "_bucket" else ())
    return found


@pytest.mark.parametrize(("where", "query"), QUERIES)
def test_every_name_is_scraped(where: str, query: str) -> None:
    """Fails when a metric is renamed or a panel asks for one that was never there."""
    names = re.findall(r"\bbobctx_\w+", query)
    assert names or "up{" in query, where
    assert [name for name in names if name not in known()] == []


@pytest.mark.parametrize(("where", "query"), QUERIES)
def test_every_label_is_one_of_its_metric(where: str, query: str) -> None:
    for name, labels in re.findall(r"\b(bobctx_\w+)\{([^}]*)\}", query):
        used = set(re.findall(r"(\w+)\s*[=!]", labels))
        assert used <= set(known()[name]), f"{where}: {name}"
    for group in re.findall(r"by \(([^)]*)\) \((?:rate\()?(bobctx_\w+)", query):
        used = {label.strip() for label in group[0].split(",")}
        assert used <= set(known()[group[1]]), f"{where}: {group[1]}"


@pytest.mark.parametrize("wanted", ASKED_FOR)
def test_the_dashboard_shows_what_an_operator_asks_for(wanted: str) -> None:
    words = " ".join(p["title"] + " " + " ".join(t["legendFormat"] for t in p["targets"]) for p in DASHBOARD["panels"])
    assert wanted in words.lower()
