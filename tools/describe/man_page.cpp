// SPDX-License-Identifier: BSD-3-Clause
#include "describe/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

namespace espalier::internal {

namespace {

/// Returns the text with roff's special characters escaped, so that it is printed unchanged and no
/// line is a roff request. Dashes stay ASCII dashes, so that examples can be copied.
std::string roff(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '.' && (result.empty() || result.back() == '\n')) result += "\\&";
    switch (letter) {
      case '\\': result += "\\e"; break;
      case '-': result += "\\-"; break;
      case '\'': result += "\\(aq"; break;
      case '`': result += "\\(ga"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      default: result += letter;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", roff(text)); }

std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", roff(text)); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

/// Returns the text below an option: each line of its help on a separate line, then the default
/// and the exclusions.
std::string explanation(const OptionText& option) {
  std::string text;
  for (const std::string& line : lines_of(option.help)) {
    text += (text.empty() ? "" : ".br\n") + roff(line) + "\n";
  }
  if (!option.fallback.empty()) text += fmt::format(".br\nDefault: {}.\n", roff(option.fallback));
  if (!option.excluded.empty()) {
    text += fmt::format(".br\nNot with {}.\n",
                        roff(fmt::format("{}", fmt::join(option.excluded, ", "))));
  }
  return text;
}

std::string option_entry(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ", ") + (option.symbol == name ? italic(name) : bold(name));
  }
  const bool has_value = !option.is_flag() && option.symbol != option.names.back();
  if (has_value) names += " " + italic(option.symbol);
  const bool says_more = !option.repeated || option.symbol.ends_with("...");
  return ".TP\n" + names + (says_more ? "\n" : " ...\n") + explanation(option);
}

std::string option_section(const std::string& title, const std::vector<OptionText>& options) {
  if (options.empty()) return "";
  std::string text = ".SH " + title + "\n";
  for (const OptionGroup& group : groups_of(options)) {
    if (group.heading != default_heading) text += ".SS " + roff(group.heading) + "\n";
    for (const OptionText& option : group.options) text += option_entry(option);
  }
  return text;
}

std::string exit_status(std::string_view codes) {
  std::string text = ".SH EXIT STATUS\n";
  while (!codes.empty()) {
    const std::string_view code = codes.substr(0, codes.find(';'));
    codes.remove_prefix(std::min(codes.size(), code.size() + 1));
    const std::size_t digits = code.find_first_of("0123456789");
    const std::size_t blank = code.find(' ', digits);
    text += fmt::format(".TP\n{}\n{}\n", bold(code.substr(digits, blank - digits)),
                        roff(code.substr(blank + 1)));
  }
  return text;
}

/// Writes the lines of a footer: indented lines unchanged, others as paragraphs.
class FooterWriter {
 public:
  std::string text_of(const std::string& footer) {
    constexpr std::string_view codes = "Exit codes: ";
    const std::size_t end = std::min(footer.size(), footer.find(codes));
    for (const std::string& line : lines_of(footer.substr(0, end))) add(line);
    set_as_it_stands(false);
    if (end < footer.size()) text_ += exit_status(footer.substr(end + codes.size()));
    return text_;
  }

 private:
  void add(const std::string& line) {
    if (line == "Examples:") {
      text_ += ".SH EXAMPLES\n";
      in_examples_ = true;
      return;
    }
    const bool indented = line.starts_with(' ');
    set_as_it_stands(indented);
    if (in_examples_ && !indented) text_ += ".SH NOTES\n";
    in_examples_ = in_examples_ && indented;
    text_ += roff(line) + "\n";
  }

  void set_as_it_stands(bool wanted) {
    if (wanted != as_it_stands_) text_ += wanted ? ".PP\n.nf\n" : ".fi\n.PP\n";
    as_it_stands_ = wanted;
  }

  std::string text_;
  bool in_examples_ = false;
  bool as_it_stands_ = false;
};

std::string synopsis(const std::string& words, const CommandText& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n{} [{}]", bold(words), italic("OPTION"));
  if (!command.options.empty()) text += "...";
  if (!command.subcommands.empty()) text += " " + italic("SUBCOMMAND") + " ...";
  for (const OptionText& argument : command.arguments) {
    const std::string name = italic(argument.symbol) + (argument.repeated ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

/// Returns the title of a page. It is also the name of its file without the section.
std::string title_of(const CommandText& program, const CommandText& command) {
  return &program == &command ? program.name : program.name + "-" + command.name;
}

std::string see_also(const CommandText& program, const CommandText& command) {
  std::vector<std::string> pages;
  const auto add = [&](const CommandText& other) {
    if (&other != &command) pages.push_back(bold(title_of(program, other)) + "(1)");
  };
  add(program);
  for (const CommandText& other : program.subcommands) add(other);
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

std::string subcommand_section(const CommandText& program) {
  std::string text = program.subcommands.empty() ? "" : ".SH SUBCOMMANDS\n";
  for (const CommandText& one : program.subcommands) {
    text += fmt::format(".TP\n{}\n{}\nSee {}(1).\n", bold(one.name), roff(one.summary),
                        bold(title_of(program, one)));
  }
  return text;
}

}  // namespace

std::string man_page(const CommandText& program, const CommandText& subcommand,
                     const std::string& version) {
  const std::string title = title_of(program, subcommand);
  std::string capitals = title;
  for (char& letter : capitals)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  const bool is_whole = &program == &subcommand;
  std::string words = program.name;
  if (!is_whole) words += " " + subcommand.name;
  const std::string summary =
      subcommand.summary.substr(0, subcommand.summary.find_last_not_of('.') + 1);
  std::string text = fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.nh\n.ad l\n",
                                 roff(capitals), program.name, version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(title), roff(summary));
  text += synopsis(words, subcommand);
  text += subcommand_section(subcommand);
  text += option_section("ARGUMENTS", subcommand.arguments);
  text += option_section("OPTIONS", subcommand.options);
  text += FooterWriter().text_of(subcommand.footer);
  return text + see_also(program, subcommand);
}

std::string man_page(const CommandText& program, const std::string& version) {
  return man_page(program, program, version);
}

}  // namespace espalier::internal
