// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/load.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "base/memory.hpp"
#include "espalier/error.hpp"
#include "matrix/generators.hpp"
#include "matrix/harwell_boeing.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

namespace {

using Reader = SparseMatrix (*)(TextSource&, Values, InputNotes&);

struct Format {
  std::string_view extension;
  Reader read;
};

constexpr std::array<Format, 8> formats{{
    {".mtx", read_coordinate_matrix},
    {".rb", read_harwell_boeing},
    {".rsa", read_harwell_boeing},
    {".rua", read_harwell_boeing},
    {".psa", read_harwell_boeing},
    {".pua", read_harwell_boeing},
    {".isa", read_harwell_boeing},
    {".iua", read_harwell_boeing},
}};

bool remove_extension(std::string& name, std::string_view extension) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == b; };
  if (name.size() <= extension.size() ||
      !std::equal(name.end() - static_cast<std::ptrdiff_t>(extension.size()), name.end(),
                  extension.begin(), same)) {
    return false;
  }
  name.resize(name.size() - extension.size());
  return true;
}

/// The reader that a file name's extension stands for, or null; removes the extension.
Reader reader_by_name(std::string& name) {
  remove_extension(name, ".gz");
  for (const Format& format : formats) {
    if (remove_extension(name, format.extension)) return format.read;
  }
  return nullptr;
}

Reader reader_by_content(TextSource& source) {
  std::string_view line;
  source.next_line(line);
  if (is_matrix_market_banner(line)) {
    source.unread_line();
    return read_coordinate_matrix;
  }
  std::string known;
  for (const Format& format : formats) known.append(format.extension).append(", ");
  throw InputError(source.path() +
                   ": the format of the file is unknown; expected a name ending in " + known +
                   "each also with .gz, or a first line that begins with %%MatrixMarket");
}

}  // namespace

MatrixInput load_matrix(const std::string& file_or_spec, Values values) {
  MatrixInput input;
  if (is_generator_spec(file_or_spec)) {
    input.name = file_or_spec;
    input.matrix = generate_matrix(file_or_spec);
    input.notes.entries_read = input.matrix.pattern.entries();
    if (values == Values::pattern_only) release(input.matrix.value);
    return input;
  }
  std::error_code error;
  if (!std::filesystem::exists(file_or_spec, error)) {
    throw InputError(file_or_spec + ": there is no such file, and no such generator either; " +
                     nearest_generator(file_or_spec) + "generators are " + generator_usage());
  }
  input.name = std::filesystem::path(file_or_spec).filename().string();
  const Reader known_reader = reader_by_name(input.name);
  TextSource source(file_or_spec);
  const Reader read = known_reader != nullptr ? known_reader : reader_by_content(source);
  input.matrix = read(source, values, input.notes);
  return input;
}

}  // namespace espalier::internal
