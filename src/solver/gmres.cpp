// SPDX-License-Identifier: BSD-3-Clause
#include "solver/gmres.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace espalier::internal {

namespace {

using Vector = std::vector<double>;

double inner(std::span<const double> x, std::span<const double> y, const SumOfProcesses& sum) {
  return sum(std::inner_product(x.begin(), x.end(), y.begin(), 0.0));
}

/// Adds `factor` times x to y.
void add(double factor, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

Vector divided(Vector x, double divisor) {
  for (double& entry : x) entry /= divisor;
  return x;
}

/// Makes x orthogonal to the basis. Returns its products with the vectors of the basis and, as last
/// entry, the norm of the orthogonal part. The second pass removes rounding errors of the first.
Vector orthogonalize(std::span<double> x, const std::vector<Vector>& basis,
                     const SumOfProcesses& sum) {
  Vector column(basis.size() + 1);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < basis.size(); ++k) {
      const double product = inner(basis[k], x, sum);
      column[k] += product;
      add(-product, basis[k], x);
    }
  }
  column.back() = norm2(x, sum);
  return column;
}

/// The least-squares problem ‖(size, 0, 0, ...) - H z‖, where H has one entry below its diagonal in
/// each column. Rotations of rows make H a triangle.
class HessenbergProblem {
 public:
  explicit HessenbergProblem(double size) : right_{size} {}

  /// Appends a column to H, which has one entry more than the column before. Returns the norm of
  /// the residual.
  double append(Vector column) {
    for (std::size_t k = 0; k < rotations_.size(); ++k) rotate(rotations_[k], column, k);
    const std::size_t last = rotations_.size();
    const double length = std::hypot(column[last], column[last + 1]);
    rotations_.push_back(length == 0 ? std::pair(1.0, 0.0)
                                     : std::pair(column[last] / length, column[last + 1] / length));
    rotate(rotations_.back(), column, last);
    right_.push_back(0);
    rotate(rotations_.back(), right_, last);
    columns_.push_back(std::move(column));
    return std::abs(right_.back());
  }

  /// Returns z.
  Vector solution() const {
    Vector z(right_.begin(), right_.end() - 1);
    for (std::size_t k = z.size(); k-- > 0;) {
      z[k] /= columns_[k][k];
      for (std::size_t i = 0; i < k; ++i) z[i] -= columns_[k][i] * z[k];
    }
    return z;
  }

 private:
  /// Rotates the entries k and k + 1.
  static void rotate(const std::pair<double, double>& rotation, Vector& x, std::size_t k) {
    const auto [cosine, sine] = rotation;
    const double first = cosine * x[k] + sine * x[k + 1];
    x[k + 1] = cosine * x[k + 1] - sine * x[k];
    x[k] = first;
  }

  Vector right_;
  std::vector<Vector> columns_;
  std::vector<std::pair<double, double>> rotations_;  ///< cosine and sine
};

}  // namespace

double norm2(std::span<const double> x, const SumOfProcesses& sum) {
  return std::sqrt(inner(x, x, sum));
}

std::vector<double> gmres(const MatrixProduct& product, std::span<const double> c, double bound,
                          Index most, const SumOfProcesses& sum) {
  Vector y(c.size());
  const double size = norm2(c, sum);
  if (!(size > bound)) return y;
  std::vector<Vector> basis{divided({c.begin(), c.end()}, size)};
  HessenbergProblem problem(size);
  for (Index step = 0; step < most; ++step) {
    Vector next(c.size());
    product(basis.back(), next);
    const double before = norm2(next, sum);
    const Vector column = orthogonalize(next, basis, sum);
    const double left = column.back();
    const double residual = problem.append(column);
    if (residual <= bound || !(left > std::numeric_limits<double>::epsilon() * before)) break;
    basis.push_back(divided(std::move(next), left));
  }
  const Vector z = problem.solution();
  for (std::size_t k = 0; k < z.size(); ++k) add(z[k], basis[k], y);
  return y;
}

}  // namespace espalier::internal
