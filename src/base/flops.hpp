// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Floating-point operations of the dense kernels, additions and multiplications counted alike
/// (Blackford and Dongarra, LAPACK Working Note 41, appendix C; leading and second terms).
namespace espalier::flops {

inline double potrf(double n) { return n * n * n / 3 + n * n / 2; }
/// B (m by n) times the inverse of a triangle of order n.
inline double trsm(double m, double n) { return m * n * n; }
/// Lower triangle of an n-by-n matrix plus A Aᵀ, A n by k.
inline double syrk(double n, double k) { return n * (n + 1) * k; }
inline double gemm(double m, double n, double k) { return 2 * m * n * k; }
/// The trapezoid that an update of m rows and n columns computes: SYRK on top, GEMM below.
inline double trapezoid(double m, double n, double k) { return syrk(n, k) + gemm(m - n, n, k); }

}  // namespace espalier::flops
