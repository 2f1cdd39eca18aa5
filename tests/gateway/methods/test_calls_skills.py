"""Skills are listed for whoever may read, over a real socket."""

from __future__ import annotations

from tests.gateway.conftest import Connect


async def test_skills_are_listed_with_who_may_use_them_and_what_is_wrong(connect: Connect) -> None:
    reader = await connect(token="reader")
    assert await reader.call("skill.list") == {
        "skills": [
            {
                "name": "digging",
                "description": "How to dig.",
                "source": "home",
                "trusted": False,
                "changed": False,
                "digest": "sha256:0",
                "agents": ["sulla"],
            }
        ],
        "troubles": ["skills/Bad Name: a skill cannot be called that"],
    }


async def test_agents_say_where_they_are_at_work(connect: Connect) -> None:
    (agent,) = (await (await connect(token="reader")).call("agent.list"))["agents"]
    assert agent["working"] == [{"thread_id": "thr_1", "project": "garden", "since": "2027-01-15T08:00:00.000Z"}]
