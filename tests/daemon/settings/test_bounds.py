"""Each bound is the one that its setting names: with figures that are all different, none can stand for another."""

from __future__ import annotations

from pathlib import Path

from sulla.agent.limits.ledger import DayLimits
from sulla.agent.limits.limits import RunLimits
from sulla.agent.limits.rate import RateLimits
from sulla.daemon.settings import bounds
from sulla.daemon.settings.config import load_settings
from sulla.work.queue import JobCaps

TEXT = """
[limits]
runs = 21
runs_per_agent = 22
sub_agents = 23
model_calls = 26
run_tokens = 27_000
run_cost = 0.000028
run_wall_s = 29
thread_day_tokens = 30_000
history_tokens = 31_000
agent_day_tokens = 32_000
day_tokens = 33_000
day_cost = 0.000034
message_interval_ms = 35
message_burst = 36
message_window_s = 37.5
token_burst = 38

[model]
reply_tokens = 2_000

[playbooks]
runs = 24
steps = 25
run_tokens = 40_000
"""


def test_each_bound_is_the_one_that_its_setting_names(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text(TEXT)
    settings = load_settings({}, {}, tmp_path)
    assert bounds.work(settings) == JobCaps(total=21, per_agent=22, children=23, steps=25, plays=24)
    assert bounds.run(settings) == RunLimits(
        model_calls=26,
        tokens=27_000,
        cost_micro=28,
        wall_s=29,
        thread_day_tokens=30_000,
        history_tokens=31_000,
        reply_tokens=2_000,
        play_tokens=40_000,
    )
    assert bounds.day(settings) == DayLimits(tokens=33_000, agent_tokens=32_000, cost_micro=34)
    assert bounds.rates(settings) == RateLimits(min_interval_ms=35, burst=36, window_ms=37_500, token_burst=38)
