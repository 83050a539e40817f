"""The frame rate: as high as useful, with time left for other work."""
import asyncio
import time

PICTURE_INTERVAL = 1 / 30  # [s], the minimum
PANEL_INTERVAL = 0.15  # [s]
BUSY_SHARE = 0.5  # maximum share of time for drawing


class Pace:
    def __init__(self, server):
        self._server = server
        self._next_picture = self._next_panel = 0.0

    def time_to_next_picture(self):
        return max(self._next_picture - time.monotonic(), 0.0)

    def is_due(self):
        return time.monotonic() >= self._next_picture

    def draw(self, picture, panel):
        """Calls `picture`, and `panel` when due, and sends their changes at once."""
        began = time.monotonic()

        async def draw():
            with self._server.atomic():
                picture()
                if began >= self._next_panel:
                    panel()
                    self._next_panel = began + PANEL_INTERVAL
            self._server.flush()
        # In viser's thread: each message sets an asyncio event, which other threads must not do while a client waits
        # for it.
        asyncio.run_coroutine_threadsafe(draw(), self._server.get_event_loop()).result()
        now = time.monotonic()
        self._next_picture = now + max(PICTURE_INTERVAL - (now - began), (now - began) * (1 / BUSY_SHARE - 1))
