"""The style of the panels. External text is escaped."""
import html
import math

from .colors import AMBER

STYLE = """<style>
.ik { font-size: 12.5px; line-height: 1.45; font-variant-numeric: tabular-nums; padding: 2px 10px 8px;
  color: var(--mantine-color-text); }
.ik .dim { opacity: .62; }
.ik .chip { display: inline-block; padding: 1px 9px; border-radius: 9px; color: #14181d; font-weight: 600; margin: 1px 6px 1px 0; }
.ik .row { display: grid; grid-template-columns: minmax(0, 9em) 1fr 5em; gap: 8px; align-items: center; height: 19px; }
.ik .row span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.ik .value { text-align: right; }
.ik .track { position: relative; height: 5px; border-radius: 3px; background: rgba(128, 134, 142, .28); }
.ik .track i { position: absolute; top: -3px; width: 5px; height: 11px; margin-left: -2.5px; border-radius: 2.5px;
  background: #0e8a9b; }
.ik .track.free { background: repeating-linear-gradient(90deg, rgba(128, 134, 142, .38) 0 5px, transparent 5px 9px); }
.ik .limit .track i { background: LIMIT; } .ik .limit .value { font-weight: 700; }
.ik .numbers { display: grid; grid-template-columns: repeat(3, 1fr); text-align: center; margin-top: 6px; }
.ik .numbers b { display: block; font-size: 14px; }
.ik .message { overflow-wrap: anywhere; margin-top: 3px; }
</style>""".replace('LIMIT', f'rgb{AMBER}')


def block(lines):
    return f'<div class="ik">{"".join(lines)}</div>'


def headline(text):
    return f'<b>{html.escape(text)}</b>'


def outcome(word, color, name, sentence):
    """The outcome of a target: a word on its colour, the name of the moving part, and a message."""
    return f'<div><span class="chip" style="background: rgb{color}">{word}</span>{html.escape(name)}</div>' + dimmed(sentence)


def dimmed(sentence):
    return f'<div class="message dim">{html.escape(sentence)}</div>' if sentence else ''


def numbers(values):
    """Pairs of a number as text and its meaning."""
    return '<div class="numbers">' + ''.join(f'<span><b>{value}</b><span class="dim">{name}</span></span>'
                                             for value, name in values) + '</div>'


def note(text):
    return f'<div class="message"><b>!</b> {html.escape(text)}</div>'


def length(metres):
    """In a readable unit; NaN is unknown."""
    if math.isnan(metres):
        return '–'
    if metres < 1e-12:
        return '0 m'
    for unit, name in ((1.0, 'm'), (1e-3, 'mm'), (1e-6, 'µm')):
        if metres >= unit:
            return f'{metres / unit:.3g} {name}'
    return f'{metres / 1e-9:.3g} nm'


def chosen(act):
    """A callback that calls `act` only for user actions: updates by this program have no client."""
    return lambda event: act(event) if event.client is not None else None
