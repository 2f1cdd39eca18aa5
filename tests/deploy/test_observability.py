"""What Prometheus and Grafana are told to ask for, beside what a daemon tells."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest
import yaml

from sulla.host.home import Home
from tests.daemon.running import PATIENCE_S, Place
from tests.house.source import ROOT

WATCHED = ROOT / "deploy" / "observability"
BY_PROMETHEUS = {"up"}
"""What it measures itself."""


def _alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((WATCHED / "rules.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def _queries() -> dict[str, str]:
    """Every query, by the rule or the panel that makes it. Grafana puts in a time for its variable."""
    panels = json.loads((WATCHED / "grafana" / "sulla.json").read_text())["panels"]
    shown = {f"{one['title']} {ask['refId']}": ask["expr"] for one in panels for ask in one["targets"]}
    asked = {rule["alert"]: rule["expr"] for rule in _alerts()} | shown
    return {name: query.replace("$__rate_interval", "5m") for name, query in asked.items()}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names under which a daemon tells its figures."""
    place = Place(tmp_path_factory.mktemp("watched") / "home")
    with place.up() as daemon:
        headers = {"authorization": f"Bearer {Home(place.home).known_token()}"}
        answer = httpx.get(f"{daemon.url}/metrics", headers=headers, timeout=PATIENCE_S)
    assert answer.status_code == 200
    return {
        f"{family}{ending}"
        for family, kind in re.findall(r"^# TYPE (\S+) (\S+)$", answer.text, re.MULTILINE)
        for ending in (("_bucket", "_sum", "_count") if kind == "histogram" else ("",))
    }


@pytest.mark.parametrize("name", _queries())
def test_a_query_can_be_read_and_asks_for_figures_that_there_are(name: str, told: set[str]) -> None:
    promql_parser = pytest.importorskip("promql_parser", reason="promql-parser is not installed")
    asked: set[str] = set()

    def see(expression: Any) -> None:
        if isinstance(expression, promql_parser.VectorSelector):
            asked.add(expression.name)

    promql_parser.walk(promql_parser.parse(_queries()[name]), pre_visit=see)
    assert asked, "it asks for nothing"
    assert asked - told - BY_PROMETHEUS == set()


def test_every_alert_says_how_urgent_it_is_and_what_to_do() -> None:
    for rule in _alerts():
        assert rule["labels"]["severity"] in ("page", "ticket"), rule["alert"]
        assert rule["annotations"].keys() == {"summary", "todo"}, rule["alert"]


def test_the_panels_have_places_of_their_own() -> None:
    panels = json.loads((WATCHED / "grafana" / "sulla.json").read_text())["panels"]
    assert len({(one["gridPos"]["x"], one["gridPos"]["y"]) for one in panels}) == len(panels) >= 12
    assert len({one["id"] for one in panels}) == len(panels)


def test_prometheus_asks_every_daemon_of_the_cluster() -> None:
    asked = yaml.safe_load((WATCHED / "prometheus.yaml").read_text())["scrape_configs"][0]["static_configs"]
    targets = {target for one in asked for target in one["targets"]}
    services = yaml.safe_load((ROOT / "deploy/docker/compose.cluster.yaml").read_text())["services"]
    assert targets == {f"{name}:8137" for name, one in services.items() if one["image"] == "sulla"}
