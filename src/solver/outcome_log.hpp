// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "espalier/espalier.hpp"

namespace espalier::internal {

/// Result of one factorization: a status, or the error of its values.
struct Outcome {
  FactorStatus status;
  std::exception_ptr error;

  bool ok() const { return status.ok() && !error; }
  /// Returns the status. Throws the error if there is one.
  FactorStatus result() const {
    if (error) std::rethrow_exception(error);
    return status;
  }
};

/// Results of the factorizations of a factor. Tasks write it, so other threads must wait for them
/// before they use it.
struct OutcomeLog {
  bool is_open = false;        ///< the result of the last factorization is not recorded yet
  std::exception_ptr refused;  ///< why the values of the open factorization were refused, or null
  Index recorded = 0;          ///< number of results since the last forget()
  Outcome last;
  std::optional<Outcome> first_failure;  ///< since the last forget()

  /// Starts the next factorization.
  void open() {
    is_open = true;
    refused = nullptr;
  }
  /// Records the result of the open factorization.
  void close(Outcome outcome) {
    is_open = false;
    last = std::move(outcome);
    if (!last.status.ok()) last.status.position = recorded;
    if (!last.ok() && !first_failure) first_failure = last;
    ++recorded;
  }
  /// Forgets the recorded results except the last one.
  void forget() {
    recorded = 0;
    first_failure.reset();
  }
  /// Returns the first failure since the last forget(), or else the last result, and forgets all
  /// results except the last one. Throws the error of the failure.
  FactorStatus take() {
    const Outcome outcome = first_failure.value_or(last);
    forget();
    return outcome.result();
  }
};

}  // namespace espalier::internal
