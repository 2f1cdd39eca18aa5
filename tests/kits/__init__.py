"""Conformance kits: what every backend of a promise must do, written once."""

from __future__ import annotations

import pytest

# pytest explains a failed `assert` only in modules that it was told of before they are imported.
pytest.register_assert_rewrite(
    "tests.kits.provider_kit",
    "tests.kits.store_appends",
    "tests.kits.store_finding",
    "tests.kits.store_leases",
    "tests.kits.store_model",
    "tests.kits.store_offers",
    "tests.kits.store_values",
)
