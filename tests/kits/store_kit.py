"""The store's conformance kit: whoever keeps `sulla.store.Store` passes all of it.

A test class for a backend inherits `StoreKit` and gives two fixtures: ``world`` and ``new_world``.
"""

from __future__ import annotations

from tests.kits.store_appends import AppendsKit
from tests.kits.store_finding import FindKit, ReadyKit
from tests.kits.store_leases import DeletesKit, LeasesKit
from tests.kits.store_model import ModelKit
from tests.kits.store_offers import OffersKit, ReadsKit
from tests.kits.store_swaps import SwapsKit
from tests.kits.store_values import BusKit, OpeningKit, ValuesKit


class StoreKit(
    OffersKit,
    ReadsKit,
    LeasesKit,
    DeletesKit,
    AppendsKit,
    ReadyKit,
    FindKit,
    ValuesKit,
    SwapsKit,
    BusKit,
    OpeningKit,
    ModelKit,
):
    """Everything that the promise says."""
