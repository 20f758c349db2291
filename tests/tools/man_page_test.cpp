// SPDX-License-Identifier: BSD-3-Clause
#include "describe/man_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

CommandText program_with(CommandText subcommand) {
  return {.name = "prog", .summary = "Do it.", .subcommands = {std::move(subcommand)}};
}

std::string page_of(CommandText subcommand) {
  const CommandText program = program_with(std::move(subcommand));
  return man_page(program, program.subcommands.front(), "1.2.3");
}

TEST(ManPage, HasNameSynopsisAndTheOtherPages) {
  const CommandText command{
      .name = "go",
      .summary = "Go there.",

      .arguments = {{.names = {"FROM"}, .symbol = "FROM", .help = "begin", .required = true},
                    {.names = {"TO"}, .symbol = "TO", .help = "ends", .repeated = true}},
      .options = {{.names = {"-h", "--help"}, .symbol = "", .help = "help"}}};
  const std::string page = page_of(command);
  EXPECT_THAT(page, HasSubstr(".TH PROG\\-GO 1 \"\" \"prog 1.2.3\""));
  EXPECT_THAT(page, HasSubstr(".SH NAME\nprog\\-go \\- Go there\n"));
  EXPECT_THAT(page,
              HasSubstr("\\fBprog go\\fR [\\fIOPTION\\fR]... \\fIFROM\\fR [\\fITO\\fR...]\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nhelp\n"));
  EXPECT_THAT(page, EndsWith(".SH SEE ALSO\n\\fBprog\\fR(1)\n"));
  const std::string whole = man_page(program_with(command), "1.2.3");
  EXPECT_THAT(
      whole, HasSubstr(".SH SUBCOMMANDS\n.TP\n\\fBgo\\fR\nGo there.\nSee \\fBprog\\-go\\fR(1).\n"));
  EXPECT_THAT(whole, EndsWith(".SH SEE ALSO\n\\fBprog\\-go\\fR(1)\n"));
}

TEST(ManPage, LeavesNothingToRoff) {
  const std::string page =
      page_of({.name = "go",
               .summary = "Go.",

               .options = {{.names = {"--at"}, .symbol = "A\\B", .help = ".br isn't\n.sp `~^"}}});
  EXPECT_THAT(page, HasSubstr("\\fIA\\eB\\fR\n\\&.br isn\\(aqt\n.br\n\\&.sp \\(ga\\(ti\\(ha\n"));
}

TEST(ManPage, HasAHeadingForEachGroup) {
  const std::string page = page_of({.name = "go",
                                    .summary = "Go.",
                                    .options = {{.names = {"--at"}, .help = "a"},
                                                {.names = {"--by"}, .help = "b", .group = "Rare"},
                                                {.names = {"--to"}, .help = "c"}}});
  EXPECT_THAT(page, HasSubstr(".SH OPTIONS\n.TP\n\\fB\\-\\-at\\fR\na\n.TP\n\\fB\\-\\-to\\fR\nc\n"
                              ".SS Rare\n.TP\n\\fB\\-\\-by\\fR\nb\n"));
}

TEST(ManPage, DividesTheFooter) {
  const std::string page = page_of({.name = "go",
                                    .summary = "Go.",
                                    .footer = "Examples:\n  go a   there\nA note,\nin two lines:\n"
                                              "  table\nExit codes: 0 fine; 12 not\nfine."});
  EXPECT_THAT(page,
              HasSubstr(".SH EXAMPLES\n.PP\n.nf\n  go a   there\n.fi\n.PP\n.SH NOTES\n"
                        "A note,\nin two lines:\n.PP\n.nf\n  table\n.fi\n.PP\n"
                        ".SH EXIT STATUS\n.TP\n\\fB0\\fR\nfine\n.TP\n\\fB12\\fR\nnot\nfine.\n"));
  EXPECT_THAT(page_of({.name = "go", .summary = "Go.", .footer = ""}), Not(HasSubstr("EXIT")));
}

}  // namespace
}  // namespace espalier::internal
