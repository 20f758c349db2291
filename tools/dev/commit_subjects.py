# SPDX-License-Identifier: BSD-3-Clause
"""Checks the subjects of recent commits: "component: imperative verb object"."""
import re
import subprocess

RECENT = 20
LONGEST = 100
LONGEST_COMPONENT = 40
SUBJECT = re.compile(r"[a-z][\w/.-]*(?:, [a-z][\w/.-]*)*: [a-z][a-z-]+ \S.*[^.]")
# Third persons, past tenses and gerunds that stand for the imperative most often.
NOT_IMPERATIVE = re.compile(r": (?:adds|added|adding|fixes|fixed|fixing|makes|made|making|uses|used|using|removes|removed|removing|"
                            r"changes|changed|changing|updates|updated|updating|moves|moved|moving) ")


def problem_of(subject):
    """The fault of a subject, or an empty text."""
    if len(subject) > LONGEST:
        return f"has {len(subject)} letters; at most {LONGEST} are allowed"
    if subject.find(":") > LONGEST_COMPONENT:
        return f"has a component of more than {LONGEST_COMPONENT} letters; name the folder above"
    if not SUBJECT.fullmatch(subject) or NOT_IMPERATIVE.search(subject):
        return 'is not "component: imperative verb object"'
    return ""


def recent_subjects(root):
    """The subjects of the newest commits without merges; none if this is not a repository of git."""
    if not (root / ".git").exists():
        return []
    log = subprocess.run(["git", "-c", f"safe.directory={root}", "log", f"-{RECENT}", "--no-merges", "--format=%s"], cwd=root,
                         capture_output=True, text=True, check=False)
    return log.stdout.splitlines()


def unclear_subjects(root):
    """Yields a message for each recent commit whose subject has a fault."""
    for subject in recent_subjects(root):
        fault = problem_of(subject)
        if fault:
            yield f"commit subject {subject!r} {fault}"
