# SPDX-License-Identifier: BSD-3-Clause
"""Reads pages and pictures that the program writes."""
import collections
import html.parser
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Page(html.parser.HTMLParser):
    """Fails on elements that are not closed, or closed in another order, and on what a page would have to fetch."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.classes = collections.Counter()
        self.elements = collections.Counter()
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag, attrs):
        self.elements[tag] += 1
        attributes = dict(attrs)
        assert tag not in ("script", "link", "img") and not {"src", "href"} & attributes.keys(), tag
        self.classes[tag, attributes.get("class")] += 1

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes another element"


def read_page(text):
    """A page as HTML, once it is known to be XML, too."""
    xml.etree.ElementTree.fromstring(text.split("\n", 1)[1])
    return Page(text)


def task_rects(svg):
    """The rectangles of a Gantt chart's tasks in a file of its own, as dictionaries of numbers."""
    rects = xml.etree.ElementTree.fromstring(svg).iter(SVG + "rect")
    return [{key: float(rect.get(key)) for key in ("x", "y", "width", "height")} for rect in rects
            if rect.get("class") == "task"]


def copies_in(events):
    """The copies of a trace's events, as dictionaries of their bytes, memories, begin and end in microseconds."""
    copies = []
    for event in events:
        if event.get("cat") == "copy" and event["ph"] == "b":
            copies.append({**event["args"], "rank": event["pid"] - 1, "begin": event["ts"]})
        elif event.get("cat") == "copy":
            copies[-1]["end"] = event["ts"]
    return copies


def copies_beside_tasks(events):
    """Of the copies in a trace's events, the share beside which a device computes."""
    copies = copies_in(events)
    tasks = [event for event in events if event.get("cat") == "task" and event["args"]["on_device"]]
    return sum(any(copy["begin"] < task["ts"] + task["dur"] and copy["end"] > task["ts"] for task in tasks)
               for copy in copies) / len(copies)


def crossing_copies(events, least=0):
    """How many pairs of a trace's copies of so many bytes at least, one to the host and one from it, overlap in time."""
    copies = [copy for copy in copies_in(events) if copy["bytes"] >= least]
    return sum(home["begin"] < there["end"] and there["begin"] < home["end"]
               for home in copies if home["to"] == 0 for there in copies if there["to"] != 0)
