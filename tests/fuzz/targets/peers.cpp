// SPDX-License-Identifier: BSD-3-Clause

// Compares Espalier with the readers of SuiteSparse: CHOLMOD's for Matrix Market, RBio's for the
// other formats. If Espalier accepts a matrix, they must read the same one. CHOLMOD accepts more,
// for known reasons.

#include <RBio.h>
#include <cholmod.h>
#include <sanitizer/lsan_interface.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "matrix/harwell_boeing.hpp"
#include "matrix/matrix_market.hpp"
#include "support/matrix_checks.hpp"
#include "support/matrix_text.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

/// The lower triangle. If both triangles are given, entries of the lower one come first and count.
using Entries = std::map<std::pair<Index, Index>, double>;

struct Peer {
  Index n = 0;
  Entries entries;
};

/// Returns whether an exponent begins with D, Q or a sign. There CHOLMOD and RBio silently end the
/// number.
bool has_exponents_of_fortran(std::string_view text) {
  const std::string_view numbers = text.substr(std::min(text.find('\n'), text.size()));
  for (std::size_t k = 1; k < numbers.size(); ++k) {
    const bool after_digit =
        std::isdigit(static_cast<unsigned char>(numbers[k - 1])) != 0 || numbers[k - 1] == '.';
    if (after_digit && std::strchr("dDqQ+-", numbers[k]) != nullptr) return true;
  }
  return false;
}

/// Returns whether the banner says "double" or "unsigned", which only Espalier reads.
bool has_other_name_of_reals(std::string_view text) {
  std::string banner(text.substr(0, text.find('\n')));
  for (char& c : banner) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return banner.find("double") != std::string::npos || banner.find("unsigned") != std::string::npos;
}

void add(Peer& peer, Index row, Index column, double value) {
  peer.entries.emplace(std::pair(std::max(row, column), std::min(row, column)), value);
}

cholmod_common* cholmod() {
  static cholmod_common common = [] {
    cholmod_common silent;
    cholmod_start(&silent);
    silent.print = 0;
    return silent;
  }();
  return &common;
}

/// Reads the file by CHOLMOD, which leaks memory if it refuses the file.
std::optional<Peer> read_by_cholmod(std::string text) {
  const __lsan::ScopedDisabler no_leaks;
  std::FILE* const file = fmemopen(text.data(), text.size(), "r");
  cholmod_sparse* a = cholmod_read_sparse(file, cholmod());
  std::fclose(file);
  if (a == nullptr) return std::nullopt;
  Peer peer;
  peer.n = static_cast<Index>(a->nrow);
  const bool usable = a->nrow == a->ncol && a->xtype == CHOLMOD_REAL;
  const auto* const begin = static_cast<const int*>(a->p);
  for (int j = 0; usable && j < peer.n; ++j) {
    for (int k = begin[j]; k < begin[j + 1]; ++k) {
      const int i = static_cast<const int*>(a->i)[k];
      add(peer, i, j, static_cast<const double*>(a->x)[k]);
    }
  }
  cholmod_free_sparse(&a, cholmod());
  return usable ? std::optional(peer) : std::nullopt;
}

using Long = SuiteSparse_long;

/// Reads the file by RBio. Returns nothing if RBio refuses it: it splits lines at blanks, whatever
/// the format.
std::optional<Peer> read_by_rbio(std::string path) {
  const __lsan::ScopedDisabler no_leaks;
  std::array<char, 73> title{};
  std::array<char, 9> key{};
  std::array<char, 4> type{};
  Long rows = 0, columns = 0, values = 0, symmetry = 0, size = 0, zeros = 0;
  Long *begin = nullptr, *row = nullptr, *zero_begin = nullptr, *zero_row = nullptr;
  double *real = nullptr, *imaginary = nullptr;
  const Long status =
      RBread(path.data(), 0, 0, title.data(), key.data(), type.data(), &rows, &columns, &values,
             &symmetry, &size, &zeros, &begin, &row, &real, &imaginary, &zero_begin, &zero_row);
  Peer peer;
  peer.n = static_cast<Index>(rows);
  const bool usable = status == RBIO_OK && rows == columns && imaginary == nullptr;
  for (Long j = 0; usable && j < columns; ++j) {
    for (Long k = begin[j]; k < begin[j + 1]; ++k) {
      add(peer, static_cast<Index>(row[k]), static_cast<Index>(j), real ? real[k] : 1);
    }
  }
  for (void* const part : std::initializer_list<void*>{begin, row, zero_begin, zero_row, real}) {
    std::free(part);
  }
  return usable ? std::optional(peer) : std::nullopt;
}

/// CHOLMOD reads 1e308 and all larger numbers as infinity.
bool is_same_value(double ours, double theirs) {
  return ours == theirs || (std::fabs(ours) >= 1e308 && theirs == std::copysign(INFINITY, ours));
}

void expect_same_matrix(const SparseMatrix& ours, const Peer& theirs, bool values_too,
                        const std::string& whose) {
  expect(ours.pattern.n == theirs.n, whose + " reads another order");
  expect(ours.pattern.entries() == static_cast<Count>(theirs.entries.size()),
         whose + " reads another number of entries");
  for (Index j = 0; j < ours.pattern.n; ++j) {
    for (Count k = ours.pattern.column_begin[j]; k < ours.pattern.column_begin[j + 1]; ++k) {
      const auto entry = theirs.entries.find({ours.pattern.row[k], j});
      expect(entry != theirs.entries.end(), whose + " lacks an entry");
      expect(!values_too || is_same_value(ours.value[k], entry->second),
             whose + " reads another value");
    }
  }
}

/// Returns whether CHOLMOD accepts files with this error. The comments give the behaviour of
/// CHOLMOD.
bool is_refused_by_us_alone(const std::string& error) {
  constexpr std::array reasons{
      "not symmetric",        // accepts matrices of all kinds
      "diagonal is missing",  // accepts matrices of all kinds
      "not square",           //
      "the values are ",      // reads only the first letter of a word
      "the matrix is '",      //
      "the file holds ",      //
      "the first line",       //
      "its mirror in",        // sums up both triangles of a symmetric file
      "its mirror (",         //
      "expected the end",     // does not read the rest
      "not finite",      // accepts all that sscanf() accepts, and uses large numbers for infinity
      "expected a row",  // ignores the rest of a line, and truncates fractions
      "expected the numbers",  //
      "found ",                //
      "out of the range",      // counts from 0 if an index is 0
      "cannot be in a file",   //
  };
  return std::ranges::any_of(
      reasons, [&](const char* reason) { return error.find(reason) != std::string::npos; });
}

void compare_matrix_market(const std::string& text, const std::string& path, Tally& tally) {
  if (has_exponents_of_fortran(text)) return tally.note("with exponents of Fortran");
  std::optional<SparseMatrix> ours;
  InputNotes notes;
  std::string error;
  try {
    TextSource source(path, 4096);
    ours = read_coordinate_matrix(source, Values::required, notes);
  } catch (const InputError& refusal) {
    error = refusal.what();
  }
  // CHOLMOD requires "%%" at the begin. mmio.c, by the authors of the format, also skips blanks.
  if (!text.starts_with("%%")) return tally.note("with another start of the banner");
  if (has_other_name_of_reals(text)) return tally.note("with another name of real numbers");
  const auto theirs = read_by_cholmod(text);
  if (!ours) {
    expect(!theirs || is_refused_by_us_alone(error),
           "CHOLMOD accepts a file that Espalier refuses: " + error);
    return tally.note(theirs ? "accepted by CHOLMOD alone" : "refused by both");
  }
  expect(theirs.has_value(), "CHOLMOD refuses a file that Espalier accepts");
  tally.note("the same as CHOLMOD's");
  const bool sums = notes.duplicates_summed + notes.mirrors_averaged > 0;
  expect_same_matrix(*ours, *theirs, !sums, "CHOLMOD");
  write_coordinate_matrix(path, *ours);
  std::array<char, 1 << 16> written{};
  std::FILE* const file = std::fopen(path.c_str(), "r");
  const std::size_t size = std::fread(written.data(), 1, written.size(), file);
  std::fclose(file);
  const auto again = read_by_cholmod({written.data(), size});
  expect(again.has_value(), "CHOLMOD refuses a file of Espalier");
  expect_same_matrix(*ours, *again, true, "in a file of Espalier, CHOLMOD");
}

void compare_boeing(const std::string& text, const std::string& path, Tally& tally) {
  if (has_exponents_of_fortran(text)) return tally.note("with exponents of Fortran");
  TextSource source(path, 4096);
  InputNotes notes;
  const auto ours = accepted([&] { return read_harwell_boeing(source, Values::required, notes); });
  if (!ours) return tally.note("refused");
  const auto theirs = read_by_rbio(path);
  if (!theirs) return tally.note("refused by RBio alone");
  tally.note("the same as RBio's");
  const bool sums = notes.duplicates_summed + notes.mirrors_averaged > 0;
  expect_same_matrix(*ours, *theirs, !sums, "RBio");
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("peers");
  static InputFile file(".mtx");
  tally.input();
  const std::string text = text_of(bytes);
  if (text.find('\0') != std::string::npos || text.empty()) return;
  const std::string& path = file.holding(text);
  // Only parsed files, because CHOLMOD allocates the sizes that a file announces.
  if (MatrixText::parse(text)) {
    compare_matrix_market(text, path, tally);
  } else if (!text.starts_with("%%")) {
    compare_boeing(text, path, tally);
  }
}

std::optional<std::string> other_input(const std::string& input, Dice& dice) {
  // Random changes of bytes would shift fields, and RBio expects blanks between them.
  if (input.starts_with("%%") && dice.chance(1, 2)) return mutated_coordinate_file(input, dice);
  MatrixText matrix = MatrixText::random(dice);
  mutate(matrix, dice, dice.roll(3));
  return dice.chance(1, 2) ? boeing_file(matrix, dice) : matrix.coordinate_file();
}

}  // namespace espalier::fuzz
