// SPDX-License-Identifier: BSD-3-Clause
#include "describe/help_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

CommandText command() {
  return {.name = "go",
          .summary = "Go there.",
          .footer = "Examples:\n  prog go   a line that is longer than the width stays as it is",
          .arguments = {{.names = {"FROM"}, .symbol = "FROM", .help = "begin", .required = true},
                        {.names = {"TO"}, .symbol = "TO", .help = "ends", .repeated = true}},
          .options = {{.names = {"-h", "--help"}, .help = "print this"},
                      {.names = {"--rare"}, .symbol = "K", .help = "seldom", .group = "Rare"},
                      {.names = {"--speed"},
                       .symbol = "V",
                       .help = "a number with a long explanation",
                       .fallback = "3",
                       .excluded = {"--rare"},
                       .repeated = true}}};
}

TEST(HelpText, HasUsageArgumentsAndGroupsInTheirOrder) {
  const std::string text = help_text({"prog", "go"}, command(), 60);
  EXPECT_THAT(text, StartsWith("Go there.\nUsage: prog go [OPTION...] FROM [TO...]\n\nArguments:\n"
                               "  FROM                      begin\n"));
  EXPECT_THAT(text, HasSubstr("\nOptions:\n  -h, --help                print this\n"
                              "  --speed V ...             a number with a long explanation\n"
                              "                            [default: 3] [not with --rare]\n"
                              "\nRare:\n  --rare K                  seldom\n"));
  EXPECT_THAT(text, EndsWith("stays as it is\n"));
}

TEST(HelpText, PutsAnExplanationBelowALongName) {
  EXPECT_EQ(help_list({{"--a-name-of-many-letters X", "short"}}, 60),
            "  --a-name-of-many-letters X\n" + std::string(28, ' ') + "short\n");
}

TEST(HelpText, KeepsTheLinesOfAnExplanation) {
  EXPECT_EQ(help_list({{"x", "one\ntwo"}}, 60),
            "  x                         one\n" + std::string(28, ' ') + "two\n");
}

TEST(HelpText, ListsSubcommands) {
  CommandText program{.name = "prog", .summary = "Do it.", .subcommands = {command()}};
  EXPECT_THAT(help_text({"prog"}, program, 60),
              HasSubstr("Usage: prog [OPTION...] SUBCOMMAND ...\n\nSubcommands:\n"
                        "  go                        Go there.\n"));
}

}  // namespace
}  // namespace espalier::internal
