// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <initializer_list>
#include <string>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal::support {

/// Expects that `action` throws exactly an E. Its message must be one line that contains all parts.
template <typename E, typename Action>
void expect_error(Action&& action, std::initializer_list<std::string> parts) {
  try {
    action();
  } catch (const E& error) {
    const std::string message = error.what();
    for (const std::string& part : parts) {
      EXPECT_NE(message.find(part), std::string::npos)
          << "no \"" << part << "\" in the message: " << message;
    }
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of exception: " << error.what();
    return;
  }
  ADD_FAILURE() << "nothing was thrown";
}

/// Expects the same pattern and the same bits.
inline void expect_equal(const SparseMatrix& a, const SparseMatrix& b) {
  EXPECT_EQ(a.pattern.n, b.pattern.n);
  EXPECT_EQ(a.pattern.column_begin, b.pattern.column_begin);
  EXPECT_EQ(a.pattern.row, b.pattern.row);
  EXPECT_EQ(a.value, b.value);
}

}  // namespace espalier::internal::support
