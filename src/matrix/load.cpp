// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/load.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "base/memory.hpp"
#include "espalier/error.hpp"
#include "matrix/file_content.hpp"
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

constexpr std::array<Format, 9> formats{{
    {".mtx", read_coordinate_matrix},
    {".rb", read_harwell_boeing},
    {".hb", read_harwell_boeing},
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

/// Returns the reader for the extension of a file name, or null. Removes the extension.
Reader reader_by_name(std::string& name) {
  remove_extension(name, ".gz");
  for (const Format& format : formats) {
    if (remove_extension(name, format.extension)) return format.read;
  }
  return nullptr;
}

/// Returns the reader of a format, or null.
Reader reader_of(FileFormat format) {
  switch (format) {
    case FileFormat::matrix_market: return read_coordinate_matrix;
    case FileFormat::harwell_boeing: return read_harwell_boeing;
    case FileFormat::automatic: break;
  }
  return nullptr;
}

[[noreturn]] void refuse_unknown(const TextSource& source) {
  throw InputError(
      source.path() +
      ": the format of the file is unknown; expected a Matrix Market file, whose first "
      "line begins with %%MatrixMarket, or a Harwell-Boeing or Rutherford-Boeing one, "
      "whose second line has numbers of lines and the third a type such as RSA");
}

}  // namespace

MatrixInput load_matrix(const std::string& file_or_spec, Values values, FileFormat format) {
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
    throw InputError(file_or_spec + ": there is neither such a file nor such a test matrix; " +
                     nearest_generator(file_or_spec) + "test matrices are " + generator_usage());
  }
  input.name = std::filesystem::path(file_or_spec).filename().string();
  const Reader by_name = reader_by_name(input.name);
  TextSource source(file_or_spec);
  expect_lines_of_text(source);
  if (format == FileFormat::automatic) format = recognized_format(source);
  Reader read = reader_of(format);
  if (read == nullptr) read = by_name;
  if (read == nullptr) refuse_unknown(source);
  input.matrix = read(source, values, input.notes);
  return input;
}

}  // namespace espalier::internal
