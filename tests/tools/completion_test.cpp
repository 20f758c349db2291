// SPDX-License-Identifier: BSD-3-Clause
#include "describe/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe/shell_words.hpp"

namespace espalier::internal {
namespace {

using testing::HasSubstr;

// tests/cli/completion.py runs the scripts in their shells.
const CommandText& sample() {
  static const CommandText program{
      .name = "prog",
      .summary = "Do it.",

      .subcommands = {{.name = "go",
                       .summary = "Go: today's way.",

                       .options = {{.names = {"--at"},
                                    .symbol = "A|B",
                                    .help = "it's [a:b] \\; and more\nof it",
                                    .suggestions = {Suggestions::Kind::list, {"a:b", "c="}}},
                                   {.names = {"--each"},
                                    .symbol = "X",
                                    .help = "any number of times",
                                    .excluded = {"--at"},
                                    .repeated = true}}}}};
  return program;
}

TEST(Suggestions, AreWordsAfterTheirKind) {
  EXPECT_EQ(text_of(Suggestions{}), "words");
  EXPECT_EQ(text_of(Suggestions{Suggestions::Kind::files, {"a", "b:"}}), "files a b:");
}

TEST(ShellWords, KeepWhatIsSpecialInside) {
  EXPECT_EQ(in_quotes("a'b$", "\\'"), "'a\\'b$'");
  EXPECT_EQ(beginning_of("one; two"), "one");
  EXPECT_EQ(beginning_of("one\ntwo"), "one");
}

TEST(Completion, OfBashHasTheNameOfTheProgram) {
  const std::string script = bash_completion(sample());
  EXPECT_THAT(script, HasSubstr("complete -F _prog prog\n"));
  EXPECT_THAT(script, HasSubstr("[--at]='list a:b c='"));
}

TEST(Completion, OfZshEscapesTheMarksOfArguments) {
  const std::string script = zsh_completion(sample());
  EXPECT_THAT(script, HasSubstr("#compdef prog\n"));
  EXPECT_THAT(script, HasSubstr(R"('go:Go\: today'\''s way.')"));
  EXPECT_THAT(script,
              HasSubstr(R"('(--at)--at=[it'\''s \[a\:b\] \\]:A|B:{_prog_offer list a\:b c=}')"));
}

TEST(Completion, OfZshTellsWhatMayComeAgainAfterWhatItExcludes) {
  EXPECT_THAT(zsh_completion(sample()), HasSubstr("'(--at)*--each=[any number of times]:X: '"));
}

TEST(Completion, OfFishEscapesQuotesAndBackslashes) {
  const std::string script = fish_completion(sample());
  EXPECT_THAT(
      script,
      HasSubstr("complete -c prog -n __fish_use_subcommand -a go -d 'Go: today\\'s way.'\n"));
  EXPECT_THAT(script, HasSubstr(" -l at -r -f -a '(__prog_list a:b c=)' -d 'it\\'s [a:b] \\\\'\n"));
}

}  // namespace
}  // namespace espalier::internal
