"""The lookup as a chart: a row for each program, a dot for each number of accounts, time on a logarithmic axis."""

import math
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP, STEP = 760, 150, 120, 58, 27
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .axis, .quiet { fill: #59636e } .title { font-size: 14px; font-weight: 600 } .own { font-weight: 700 }
  .grid { stroke: #d1d9e0 } .range { stroke: #818b98; stroke-width: 2 } .dot { fill: #59636e; stroke: #fff }
  .own-range { stroke: #0969da; stroke-width: 2 } .own-dot { fill: #0969da; stroke: #fff }
  .paper { fill: #fff } .value { paint-order: stroke; stroke: #fff; stroke-width: 4px }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .axis, .quiet { fill: #9198a1 } .grid { stroke: #3d444d } .range { stroke: #656c76 }
    .dot { fill: #9198a1; stroke: #0d1117 } .own-range { stroke: #4493f8 } .own-dot { fill: #4493f8; stroke: #0d1117 }
    .paper { fill: #0d1117 } .value { stroke: #0d1117 }
  }
"""


def label(milliseconds):
    if milliseconds >= 1_000:
        return f"{milliseconds / 1_000:.2g} s" if milliseconds < 9_950 else f"{milliseconds / 1_000:.0f} s"
    return f"{milliseconds:.2g} ms" if milliseconds < 99.5 else f"{milliseconds:.0f} ms"


def rows(document):
    """Name, and number of accounts and milliseconds of each that could be measured; the fastest first."""
    found = {}
    for size in document["sizes"]:
        for name, cell in size["figures"]["lookup"].items():
            if "wallMilliseconds" in cell:
                found.setdefault(name, []).append((size["accounts"], cell["wallMilliseconds"]))
    return sorted(found.items(), key=lambda item: item[1][0][1])


def text(x, y, content, kind="", anchor="start"):
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}">{escape(content)}</text>'


def lookup(document):
    found, sizes = rows(document), [size["accounts"] for size in document["sizes"]]
    times = [time for _, points in found for _, time in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    bottom = TOP + STEP * len(found)

    def at(time):
        return LEFT + 60 + (math.log10(time) - low) / (high - low) * (WIDTH - LEFT - 60 - RIGHT)

    def radius(size):
        return 3 + 1.2 * sizes.index(size)

    title = "Look up one token: the time of a whole process"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 48}" role="img" aria-label="{title}">',
             f"<style>{STYLE}</style>", f'<rect class="paper" width="{WIDTH}" height="{bottom + 48}" rx="6"/>',
             text(14, 24, title, "title"), text(WIDTH - 14, 24, "less is better; each line is ten times the one before", "quiet", "end")]
    for power in range(low, high + 1):
        x = at(10**power)
        parts += [f'<path class="grid" d="M{x:.1f} {TOP - 10}V{bottom - 4}"/>', text(x, TOP - 15, label(10**power), "axis", "middle")]
    for index, (name, points) in enumerate(found):
        y, own = TOP + STEP * index + 10, "own-" if "keyfob" in name else ""
        places = [at(time) for _, time in points]
        parts += [text(14, y + 4, name, "own" if own else ""),
                  f'<path class="{own}range" d="M{min(places):.1f} {y}H{max(places):.1f}"/>']
        # The small ones above the large ones.
        for (size, _), x in sorted(zip(points, places), reverse=True):
            parts.append(f'<circle class="{own}dot" cx="{x:.1f}" cy="{y}" r="{radius(size):.1f}"/>')
        ordered = sorted(time for _, time in points)
        missing = "" if points[-1][0] == sizes[-1] else f", not with {sizes[len(points)]:,}"
        parts.append(text(max(places) + 12, y + 4, label(ordered[-1]) + missing, "value"))
        if max(places) - min(places) > 12:
            parts.append(text(min(places) - 9, y + 4, label(ordered[0]), "value", "end"))
    x = 14
    for size in sizes:
        parts += [f'<circle class="dot" cx="{x + 6}" cy="{bottom + 22}" r="{radius(size):.1f}"/>',
                  text(x + 18, bottom + 26, f"{size:,}" + (" accounts" if size == sizes[-1] else ""), "quiet")]
        x += 34 + 8 * len(f"{size:,}")
    parts.append(text(WIDTH - 14, bottom + 26, f"{document['date']}; {document['machine'].split(',')[0]}", "quiet", "end"))
    return "\n".join(parts) + "\n</svg>\n"
