"""Has voice notes written down, by a service that speaks OpenAI's `/audio/transcriptions`."""

from __future__ import annotations

from typing import Final

import httpx

from sulla.core.errors import Unavailable

MOST_CHARS: Final = 20_000
"""Of what one note says."""
LISTEN_S: Final = 60.0


class Recognizer:
    """It lives as long as the daemon, and has a connection only while somebody is heard.

    Args:
        address: of the service.
        key: for it; empty for none.
        model: what it is asked for.
    """

    def __init__(self, address: str, key: str, model: str) -> None:
        self._address = address
        self._headers = {"authorization": f"Bearer {key}"} if key else {}
        self._model = model

    async def __call__(self, name: str, content: bytes) -> str:
        """What a note says.

        Args:
            name: of its file; its ending says what it is.
            content: the sound.

        Raises:
            Unavailable: the service does not answer, or not with words.
        """
        try:
            async with httpx.AsyncClient(timeout=LISTEN_S) as client:
                files, data = {"file": (name, content)}, {"model": self._model, "response_format": "json"}
                answer = await client.post(self._address, headers=self._headers, files=files, data=data)
                text = answer.raise_for_status().json()["text"]
        except httpx.HTTPStatusError as error:
            raise Unavailable(f"the recognizer answered with {error.response.status_code}") from None
        except httpx.HTTPError as error:
            raise Unavailable(f"the recognizer does not answer ({type(error).__name__})") from None
        except (ValueError, KeyError, TypeError):
            raise Unavailable("the recognizer answered with something that is no text") from None
        return str(text)[:MOST_CHARS].strip()
