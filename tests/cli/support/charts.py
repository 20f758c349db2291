# SPDX-License-Identifier: BSD-3-Clause
"""Reads pages and pictures that the program writes."""
import collections
import html.parser
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Page(html.parser.HTMLParser):
    """A parsed page. Fails if elements are not properly nested, or if the page refers to other files."""

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
    """Returns the page as HTML, after checking that it is also valid XML."""
    xml.etree.ElementTree.fromstring(text.split("\n", 1)[1])
    return Page(text)


def task_rects(svg):
    """Returns the task rectangles of a stand-alone Gantt chart, as dictionaries of numbers."""
    rects = xml.etree.ElementTree.fromstring(svg).iter(SVG + "rect")
    return [{key: float(rect.get(key)) for key in ("x", "y", "width", "height")} for rect in rects
            if rect.get("class") == "task"]


def copies_in(events):
    """Returns the copies among a trace's events, as dictionaries of bytes, memories, begin and end in microseconds."""
    copies = []
    for event in events:
        if event.get("cat") == "copy" and event["ph"] == "b":
            copies.append({**event["args"], "rank": event["pid"] - 1, "begin": event["ts"]})
        elif event.get("cat") == "copy":
            copies[-1]["end"] = event["ts"]
    return copies


def copies_beside_tasks(events):
    """Returns the share of copies in a trace that overlap in time with a task on a device."""
    copies = copies_in(events)
    tasks = [event for event in events if event.get("cat") == "task" and event["args"]["on_device"]]
    return sum(any(copy["begin"] < task["ts"] + task["dur"] and copy["end"] > task["ts"] for task in tasks)
               for copy in copies) / len(copies)


def crossing_copies(events, least=0):
    """Returns the number of pairs of overlapping copies, one to the host and one from it, with at least `least` bytes each."""
    copies = [copy for copy in copies_in(events) if copy["bytes"] >= least]
    return sum(home["begin"] < there["end"] and there["begin"] < home["end"]
               for home in copies if home["to"] == 0 for there in copies if there["to"] != 0)
