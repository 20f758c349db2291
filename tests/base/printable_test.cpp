// SPDX-License-Identifier: BSD-3-Clause
#include "base/printable.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace espalier::internal {
namespace {

TEST(Printable, QuotesAreShortAndAscii) {
  EXPECT_EQ(internal::quoted("a b"), "'a b'");
  EXPECT_EQ(internal::quoted(std::string_view("a\0\tb", 4)), "'a??b'");
  EXPECT_EQ(internal::quoted("\x1b[31m\x7f\xff"),
            "'?[31m?"
            "?'");
  EXPECT_EQ(internal::quoted(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(internal::quoted(std::string(1 << 20, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(Printable, ControlCharactersDoNotReachATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\td\x7f"), "a?[2Jb?c?d?");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31m"),
            "a?31m");  // the one character for ESC [
  EXPECT_EQ(printable("\xc3\x84\xc2\xb5\xe2\x80\x93"), "\xc3\x84\xc2\xb5\xe2\x80\x93");
}

TEST(Printable, OfALongMessageBothEndsAreLeft) {
  const std::string as_long_as_may_be(longest_message, 'x');
  EXPECT_EQ(message_line(as_long_as_may_be), as_long_as_may_be);
  const std::string line = message_line("note: " + std::string(1 << 20, '\n') + "; do this");
  EXPECT_EQ(line.size(), longest_message);
  EXPECT_TRUE(line.starts_with("note: ??"));
  EXPECT_NE(line.find("? ... ?"), std::string::npos);
  EXPECT_TRUE(line.ends_with("?; do this"));
}

}  // namespace
}  // namespace espalier::internal
