#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails if a header uses a name of the standard library, but includes the standard header of that name neither directly nor
through other headers of this project.

Usage: check_includes.py [ROOT]
"""
import functools
import pathlib
import re
import sys

from cpp_source import REPOSITORY, files_below, without_comments_and_strings

FOLDERS = ["src", "simulated", "codelets", "schedulers", "perfmodels", "tools"]
# Headers with the names that they declare, the usual header of a name first. Types that nearly every header declares, such as
# std::size_t, are left out.
HEADERS_OF = {
    "algorithm": "all_of any_of binary_search clamp copy count equal fill find find_if for_each lower_bound make_heap max "
                 "max_element merge min min_element minmax move_backward none_of nth_element partition pop_heap push_heap "
                 "ranges remove remove_if replace reverse rotate search sort stable_sort transform unique upper_bound",
    "array": "array", "atomic": "atomic atomic_ref memory_order_acquire memory_order_relaxed memory_order_release",
    "bitset": "bitset", "charconv": "from_chars to_chars", "cmath": "abs ceil exp floor log log2 pow round sqrt",
    "condition_variable": "condition_variable", "cstdint": "int32_t int64_t uint32_t uint64_t uint8_t",
    "cstring": "memchr memcmp memcpy memset strlen", "deque": "deque", "exception": "current_exception exception_ptr",
    "filesystem": "filesystem", "fstream": "ifstream ofstream", "functional": "function greater hash less plus",
    "iterator": "back_inserter", "limits": "numeric_limits", "list": "list", "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock unique_lock", "numeric": "accumulate iota partial_sum reduce",
    "optional": "nullopt optional", "queue": "priority_queue queue", "set": "multiset set", "span": "span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "domain_error invalid_argument logic_error out_of_range runtime_error", "string": "string to_string",
    "string_view": "string_view", "system_error": "errc error_code system_error", "thread": "jthread this_thread thread",
    "tuple": "make_tuple tie tuple",
    "type_traits": "integral_constant invoke_result_t is_same_v is_trivially_copyable_v is_void_v type_identity",
    "unordered_map": "unordered_map", "unordered_set": "unordered_set",
    "utility": "exchange index_sequence integer_sequence make_integer_sequence move pair swap", "variant": "variant visit",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in HEADERS_OF.items() for name in names.split()}
# Other headers that a header includes, by the standard or in every implementation.
BRINGS = {"algorithm": ["utility"], "charconv": ["system_error"], "filesystem": ["system_error"], "functional": ["utility"],
          "map": ["utility"], "memory": ["utility"], "mutex": ["system_error"], "sstream": ["string"],
          "string": ["string_view"], "thread": ["system_error"], "unordered_map": ["utility"], "utility": ["tuple"],
          "vector": ["utility"]}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:<([^>]+)>|"([^"]+)")', re.M)
NAME = re.compile(r"\bstd::(\w+)")


class Headers:
    """The headers below a root, and the headers that each includes."""

    def __init__(self, root):
        self.root = root
        self.paths = files_below(root, FOLDERS, (".hpp",))

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def resolve(self, name, includer):
        """Returns the path of #include "name", or None if it is not a header of this project."""
        for folder in (includer.parent, "src", "", "tools"):
            path = pathlib.Path(folder, name)
            if (self.root / path).is_file():
                return path
        return None

    @functools.lru_cache(maxsize=None)
    def reached(self, path):
        """Returns the standard headers that a header includes, directly or through headers of this project."""
        found, open_paths, seen = set(), [path], {path}
        while open_paths:
            current = open_paths.pop()
            for standard, own in INCLUDE.findall(self.text(current)):
                if standard:
                    found |= {standard, *BRINGS.get(standard, [])}
                target = self.resolve(own, current) if own else None
                if target is not None and target not in seen:
                    seen.add(target)
                    open_paths.append(target)
        return frozenset(found)

    def problems(self, path):
        code = without_comments_and_strings(self.text(path))
        told = set()
        for match in NAME.finditer(code):
            header = HEADER_OF.get(match.group(1))
            if header and header not in told and header not in self.reached(path):
                told.add(header)
                yield code.count("\n", 0, match.start()) + 1, f"uses {match.group()} and does not include <{header}>"


def main():
    headers = Headers(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else REPOSITORY)
    failures = [f"{path}:{line}: {why}" for path in headers.paths for line, why in headers.problems(path)]
    print("\n".join(failures) if failures else f"{len(headers.paths)} headers include the headers of the standard library that they need")
    return 1 if failures or not headers.paths else 0


if __name__ == "__main__":
    sys.exit(main())
