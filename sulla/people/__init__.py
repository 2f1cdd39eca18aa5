"""People: who is there, what they are told, and what they have seen of it."""

from sulla.people.board import NoticeBoard
from sulla.people.company import Company
from sulla.people.notices import NoticeInfo, NoticeKept, notice_id
from sulla.people.offices import Notices, People
from sulla.people.presence import HERE_S, PersonInfo
from sulla.people.words import ago, people_lines, unseen_lines

__all__ = [
    "HERE_S",
    "Company",
    "NoticeBoard",
    "NoticeInfo",
    "NoticeKept",
    "Notices",
    "People",
    "PersonInfo",
    "ago",
    "notice_id",
    "people_lines",
    "unseen_lines",
]
