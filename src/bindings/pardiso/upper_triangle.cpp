// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/upper_triangle.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Returns the number of the first row. MKL has a parameter for it; Panua's arrays show it.
Index base_of(const Call& call) {
  if (call.ia.empty() || call.ja.empty()) {
    throw UsageError("ia or ja is null, but this phase needs the pattern of the matrix");
  }
  const Count first = call.ia[0];
  const Count expected =
      call.dialect == Dialect::mkl ? (call.iparm(iparm::mkl_from_zero) != 0 ? 0 : 1) : first;
  if (first == expected && (first == 0 || first == 1)) return static_cast<Index>(first);
  if (call.dialect == Dialect::panua) {
    throw InputError("ia begins with " + std::to_string(first) + "; it begins with 1");
  }
  throw InputError("ia begins with " + std::to_string(first) + ", but iparm(35) is " +
                   std::to_string(call.iparm(iparm::mkl_from_zero)) +
                   ", so that rows and columns count from " + std::to_string(expected));
}

}  // namespace

UpperTriangle::UpperTriangle(const Call& call) : base_(base_of(call)) {
  const auto n = static_cast<Index>(call.n);
  begin_.reserve(static_cast<std::size_t>(n) + 1);
  row_.reserve(static_cast<std::size_t>(std::max<Count>(call.ia[n] - base_, 0)));
  for (Index i = 0; i < n; ++i) append_row(call, i);
  CompressedColumns arrays;
  arrays.n = n;
  arrays.column_begin = std::span<const Count>(begin_);
  arrays.row = row_;
  try {
    pattern_ = std::make_unique<const Matrix>(Matrix::borrow(arrays));
  } catch (const InputError&) {
    expect_each_once();
    throw;
  }
}

void UpperTriangle::expect_each_once() const {
  for (std::size_t i = 0; i + 1 < begin_.size(); ++i) {
    std::vector<Index> columns(row_.begin() + begin_[i], row_.begin() + begin_[i + 1]);
    std::ranges::sort(columns);
    const auto twice = std::ranges::adjacent_find(columns);
    if (twice == columns.end()) continue;
    throw InputError("row " + std::to_string(i + static_cast<std::size_t>(base_)) +
                     " has two entries in column " + std::to_string(Count{*twice} + base_) +
                     ", counted from " + std::to_string(base_));
  }
}

void UpperTriangle::append_row(const Call& call, Index i) {
  const auto in_words = [this](Count number) { return std::to_string(number + base_); };
  const Count first = call.ia[i] - base_;
  const Count last = call.ia[i + 1] - base_;
  if (last < first) {
    throw InputError("ia descends after row " + in_words(i) + ", counted from " +
                     std::to_string(base_));
  }
  const std::size_t begin = row_.size();
  bool has_diagonal = false;
  for (Count k = first; k < last; ++k) {
    const Count j = call.ja[k] - base_;
    if (j < i || j >= call.n) {
      throw InputError("row " + in_words(i) + " has an entry in column " + in_words(j) +
                       ", which is not in the upper triangle of a matrix with " +
                       std::to_string(call.n) + " rows, counted from " + std::to_string(base_));
    }
    has_diagonal |= j == i;
    row_.push_back(static_cast<Index>(j));
  }
  if (!has_diagonal) {
    row_.insert(row_.begin() + static_cast<std::ptrdiff_t>(begin), i);
    added_.push_back(i);
  }
  begin_.push_back(std::ssize(row_));
}

Index UpperTriangle::added(std::size_t k) const { return k < added_.size() ? added_[k] : size(); }

bool UpperTriangle::same_as(const Call& call) const {
  if (call.n != size() || base_of(call) != base_) return false;
  std::size_t passed = 0;
  for (Index i = 0; i < size(); ++i) {
    Count at = begin_[i];
    if (added(passed) == i) {
      ++at;
      ++passed;
    }
    const Count first = call.ia[i] - base_;
    const Count last = call.ia[i + 1] - base_;
    if (last - first != begin_[i + 1] - at) return false;
    for (Count k = first; k < last; ++k) {
      if (call.ja[k] - base_ != row_[at++]) return false;
    }
  }
  return true;
}

Matrix UpperTriangle::with_values(const double* value) const {
  if (value == nullptr) {
    throw UsageError("a is null, but this phase needs the values of the matrix");
  }
  if (added_.empty()) return pattern_->with_values(std::span(value, row_.size()));
  return pattern_->with_values([&](std::span<double> to) {
    std::size_t passed = 0;
    for (Index i = 0; i < size(); ++i) {
      Count at = begin_[i];
      if (added(passed) == i) {
        to[at++] = 0;
        ++passed;
      }
      while (at < begin_[i + 1]) to[at++] = *value++;
    }
  });
}

}  // namespace espalier::internal
