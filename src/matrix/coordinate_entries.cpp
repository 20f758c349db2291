// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/coordinate_entries.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "base/printable.hpp"

namespace espalier::internal {

namespace {

/// Returns the length of the shortest line of an entry, "1 1" or "1 1 1" with its line end.
Count least_bytes(bool has_values) { return has_values ? 6 : 4; }

/// Throws InputError with the reason why the entry on this line cannot be used.
[[noreturn]] void refuse_entry(const TextSource& source, std::string_view line,
                               const CoordinateSizes& sizes, bool has_values) {
  CoordinateLine entry;
  if (!entry.parse(line, has_values)) {
    source.fail(
        std::string("expected a row") +
        (has_values ? ", a column and a value" : " and a column of a pattern") + ", found " +
        quoted(line) +
        (has_values ? "" : "; if there are values, line 1 must say real instead of pattern"));
  }
  const bool bad_row = entry.row < 1 || entry.row > sizes.rows;
  if (bad_row || entry.column < 1 || entry.column > sizes.columns) {
    const Count number = bad_row ? entry.row : entry.column;
    source.fail(
        (bad_row ? "row " : "column ") + std::to_string(number) + " is out of the range 1 to " +
        std::to_string(bad_row ? sizes.rows : sizes.columns) +
        (number == 0 ? "; does the file count from 0? Matrix Market files count from 1" : ""));
  }
  source.fail("the value of the entry (" + std::to_string(entry.row) + ", " +
              std::to_string(entry.column) + ") is not finite");
}

/// Entries parsed from some lines of text.
struct EntryPiece {
  std::string_view text;
  std::vector<CoordinateEntry> entry;
  std::string_view bad;  ///< line that ended the parsing because it is not usable; empty if none
  Count lines = 0;       ///< number of lines read, including `bad`

  void parse(const CoordinateSizes& sizes, bool has_values) {
    entry.clear();
    bad = {};
    LineScanner scanner(text);
    std::string_view line;
    CoordinateLine e;
    while (bad.empty() && scanner.next_data(line)) {
      const bool usable = e.parse(line, has_values) && e.row >= 1 && e.row <= sizes.rows &&
                          e.column >= 1 && e.column <= sizes.columns && std::isfinite(e.value);
      if (usable) {
        entry.push_back({static_cast<Index>(e.row - 1), static_cast<Index>(e.column - 1), e.value});
      } else {
        bad = line;
      }
    }
    lines = scanner.lines();
  }
};

/// Cuts text at line ends into pieces of about the same length.
void cut(std::string_view text, std::span<EntryPiece> pieces) {
  for (std::size_t left = pieces.size(); EntryPiece & piece : pieces) {
    const std::size_t newline = text.find('\n', text.size() / left--);
    piece.text = text.substr(0, newline == std::string_view::npos ? newline : newline + 1);
    text.remove_prefix(piece.text.size());
  }
}

/// Throws InputError for the line after the first `allowed` entries of a piece.
[[noreturn]] void refuse_more(TextSource& source, const EntryPiece& piece, Count allowed,
                              Count announced) {
  LineScanner scanner(piece.text);
  std::string_view line;
  for (Count k = 0; k <= allowed; ++k) scanner.next_data(line);
  source.count_lines(scanner.lines());
  source.fail("expected the " + std::to_string(announced) +
              " entries that the file announces, found one more: " + quoted(line));
}

}  // namespace

CoordinateSizes read_coordinate_sizes(TextSource& source) {
  const std::string_view line = source.require_data_line("the line of sizes");
  FieldScanner fields(line);
  CoordinateSizes sizes;
  if (!fields.integer(sizes.rows) || !fields.integer(sizes.columns) ||
      !fields.integer(sizes.entries) || !fields.at_end()) {
    source.fail("expected the numbers of rows, columns and entries, found " + quoted(line));
  }
  return sizes;
}

void expect_possible(const TextSource& source, const CoordinateSizes& sizes, bool has_values) {
  if (sizes.entries < 0 || sizes.entries > source.most_bytes() / least_bytes(has_values) + 1) {
    source.fail("the file announces " + std::to_string(sizes.entries) +
                " entries, which cannot be in a file of its size: it is truncated or damaged");
  }
}

Count likely_entries(const TextSource& source, const CoordinateSizes& sizes, bool has_values) {
  return std::min(sizes.entries, source.likely_bytes() / least_bytes(has_values));
}

void read_entries(TextSource& source, const CoordinateSizes& sizes, bool has_values,
                  const std::function<void(std::span<const CoordinateEntry>)>& take) {
  constexpr std::size_t least_piece = std::size_t{1} << 15;  // bytes, 0.2 ms to parse
  const auto threads = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
  std::vector<EntryPiece> pieces(threads);
  Count taken = 0;
  for (std::string_view text; source.next_lines(text);) {
    const auto some = std::span(pieces).first(
        std::clamp<std::size_t>(text.size() / least_piece, 1, pieces.size()));
    cut(text, some);
    parallel_for(static_cast<Index>(some.size()), static_cast<Index>(threads),
                 [&](Index p) { some[p].parse(sizes, has_values); });
    for (const EntryPiece& piece : some) {
      const Count allowed = sizes.entries - taken;
      const Count found = std::ssize(piece.entry);
      if (found > allowed || (found == allowed && !piece.bad.empty())) {
        refuse_more(source, piece, allowed, sizes.entries);
      }
      source.count_lines(piece.lines);
      if (!piece.bad.empty()) refuse_entry(source, piece.bad, sizes, has_values);
      take(piece.entry);
      taken += found;
    }
  }
  if (taken < sizes.entries) {
    source.fail("the file is truncated: it ends here after " + std::to_string(taken) + " of " +
                std::to_string(sizes.entries) + " entries");
  }
}

}  // namespace espalier::internal
