// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <initializer_list>
#include <string>

namespace espalier::support {

/// Expects that `action` throws exactly an E whose message is one line that holds all the parts.
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

}  // namespace espalier::support
