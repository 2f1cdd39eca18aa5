"""Skills: what agents can read up on, from folders, with whom each is trusted by."""

from sulla.skills.bundle import read_bundle
from sulla.skills.known import Known, Whose, index, question
from sulla.skills.load_skill import skill_tools
from sulla.skills.shelf import Root, SkillShelf
from sulla.skills.skill import SKILL_FILE, Skill, read_skill
from sulla.skills.trust import TrustBook

__all__ = [
    "SKILL_FILE",
    "Known",
    "Root",
    "Skill",
    "SkillShelf",
    "TrustBook",
    "Whose",
    "index",
    "question",
    "read_bundle",
    "read_skill",
    "skill_tools",
]
