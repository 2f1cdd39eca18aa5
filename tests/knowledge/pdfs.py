"""A PDF, written by hand: as many pages as there are texts, each line of a text shown below the one before."""

from __future__ import annotations

from collections.abc import Sequence


def pdf(pages: Sequence[str]) -> bytes:
    """A PDF of these pages, in plain letters.

    Args:
        pages: the text of each.
    """
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        shown = "".join(f"({line}) Tj 0 -20 Td " for line in text.split("\n"))
        drawn = f"BT /F1 12 Tf 72 720 Td {shown}ET"
        fonts = "/Resources << /Font << /F1 3 0 R >> >>"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {fonts} /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    out, places = "%PDF-1.4\n", list[int]()
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return f"{out}startxref\n{out.index('xref')}\n%%EOF\n".encode()
