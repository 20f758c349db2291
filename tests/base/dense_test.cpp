// SPDX-License-Identifier: BSD-3-Clause

#include "base/dense.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <new>
#include <numeric>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal::support {

/// Addresses of doubles without memory, to compute the places of entries.
class AddressSpace {
 public:
  explicit AddressSpace(Count entries)
      : bytes_(static_cast<std::size_t>(entries) * sizeof(double)),
        begin_(
            mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (begin_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~AddressSpace() { munmap(begin_, bytes_); }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  double* begin() const { return static_cast<double*>(begin_); }

 private:
  std::size_t bytes_;
  void* begin_;
};

}  // namespace espalier::internal::support

namespace espalier::internal {
namespace {

TEST(DenseView, AddressesEntriesByColumns) {
  std::vector<double> memory(20);
  std::iota(memory.begin(), memory.end(), 0.0);
  const MatrixView view{memory.data(), 3, 4, 5};
  EXPECT_EQ(view(0, 0), 0);
  EXPECT_EQ(view(2, 0), 2);
  EXPECT_EQ(view(1, 3), 16);
  EXPECT_EQ(view.column(2), memory.data() + 10);
}

TEST(DenseView, OfRowsOrColumnsKeepsTheLeadingDimension) {
  std::vector<double> memory(20);
  std::iota(memory.begin(), memory.end(), 0.0);
  const MatrixView view{memory.data(), 5, 4, 5};
  const ConstMatrixView rows = view.row_range(2, 3);
  EXPECT_EQ(rows.rows, 3);
  EXPECT_EQ(rows.columns, 4);
  EXPECT_EQ(rows(0, 1), 7);
  const MatrixView columns = view.column_range(1, 2);
  EXPECT_EQ(columns.rows, 5);
  EXPECT_EQ(columns.columns, 2);
  EXPECT_EQ(columns(4, 1), 14);
}

TEST(DenseView, ReachesEntriesBeyond32Bits) {
  constexpr Count ld = 3000000;
  const support::AddressSpace memory(2000 * ld);
  const MatrixView view{memory.begin(), 5, 2000, ld};
  EXPECT_EQ(view.column(1999) - memory.begin(), 1999 * ld);
  EXPECT_EQ(view.column_range(1500, 500).column(499) - memory.begin(), 1999 * ld);
  EXPECT_EQ(&view.row_range(3, 2)(1, 1999) - memory.begin(), 1999 * ld + 4);
}

}  // namespace
}  // namespace espalier::internal

/// Compares the formulas with counts of all additions, multiplications, divisions and square roots
/// of plain loops.
namespace espalier::internal {
namespace {

constexpr Index sizes[] = {0, 1, 2, 3, 5, 8, 13, 40};

Count operations_of_potrf(Index n) {
  Count count = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < j; ++k) count += Count{2} * (n - j);
    count += 1;
    count += n - j - 1;
  }
  return count;
}

Count operations_of_trsm(Index m, Index n) {
  Count count = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < j; ++k) count += Count{2} * m;
    count += m;
  }
  return count;
}

/// Counts operations for the entries (i, j) with i >= j of an m-by-n product, inner dimension k.
Count operations_of_trapezoid(Index m, Index n, Index k) {
  Count count = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < m; ++i) count += Count{2} * k;
  }
  return count;
}

TEST(Flops, OfPotrfLackTheLinearTermOnly) {
  for (const Index n : sizes) {
    EXPECT_NEAR(operations_of_potrf(n) - flops::potrf(n), n / 6.0, 1e-9) << n;
  }
}

TEST(Flops, OfTrsmAreExact) {
  for (const Index m : sizes) {
    for (const Index n : sizes) EXPECT_EQ(flops::trsm(m, n), operations_of_trsm(m, n));
  }
}

TEST(Flops, OfProductsAreExact) {
  for (const Index n : sizes) {
    for (const Index k : sizes) {
      EXPECT_EQ(flops::syrk(n, k), operations_of_trapezoid(n, n, k));
      EXPECT_EQ(flops::gemm(n, 7, k), 2.0 * n * 7 * k);
      EXPECT_EQ(flops::trapezoid(n, n, k), flops::syrk(n, k));
      for (const Index below : sizes) {
        EXPECT_EQ(flops::trapezoid(n + below, n, k), operations_of_trapezoid(n + below, n, k));
      }
    }
  }
}

TEST(Flops, OfALargeProductDoNotOverflow) { EXPECT_EQ(flops::gemm(1e5, 1e5, 1e5), 2e15); }

TEST(DataView, KnowsTheBytesOfEntriesOfAnyType) {
  std::vector<float> entries(40);
  const DataView view(entries.data(), 3, 4, 10);
  EXPECT_EQ(view.memory(), entries.data());
  EXPECT_EQ(view.entry_bytes(), sizeof(float));
  EXPECT_EQ(view.bytes(), 48);
  EXPECT_EQ(&view.as<float>()(2, 3), &entries[32]);
  const DataView large(MatrixView{nullptr, 1 << 20, 1 << 15, 1 << 20});
  EXPECT_EQ(large.memory(), nullptr);
  EXPECT_EQ(large.bytes(), Count{1} << 38);
}

}  // namespace
}  // namespace espalier::internal
