// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/file_content.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "espalier/error.hpp"
#include "matrix/matrix_market.hpp"

namespace espalier::internal {

namespace {

using namespace std::string_view_literals;

/// Bytes that identify a file format, and the message for it.
struct Signature {
  std::string_view bytes;
  std::size_t at;
  const char* message;
};

constexpr const char* utf16 =
    "text in UTF-16; convert it to UTF-8 with: iconv -f UTF-16 -t UTF-8 FILE > NEW";
constexpr const char* hdf5 =
    "an HDF5 file, as MATLAB 7.3 writes it; write the matrix as a Matrix Market file";
constexpr const char* web_page = "a web page, not a matrix; download the file itself";

constexpr std::array<Signature, 15> signatures{{
    {"\xff\xfe"sv, 0, utf16},
    {"\xfe\xff"sv, 0, utf16},
    {"ustar"sv, 257, "a tar archive; unpack it with tar xf, and give the file of the matrix"},
    {"PK\x03\x04"sv, 0,
     "a ZIP archive (an .npz file is one, too); unpack it, or save one array with numpy.save"},
    {"BZh"sv, 0, "compressed by bzip2; unpack it with bunzip2, or compress it with gzip"},
    {"\xfd"
     "7zXZ\0"sv,
     0, "compressed by xz; unpack it with unxz, or compress it with gzip"},
    {"\x28\xb5\x2f\xfd"sv, 0, "compressed by zstd; unpack it with unzstd, or use gzip"},
    {"7z\xbc\xaf\x27\x1c"sv, 0, "a 7-Zip archive; unpack it with 7z x"},
    {"MATLAB 5.0 MAT-file"sv, 0,
     "a MAT-file of MATLAB; write the matrix as a Matrix Market file, in MATLAB with mmwrite()"},
    {"\x89HDF"sv, 0, hdf5},
    {"\x89HDF"sv, 512, hdf5},
    {"\x93NUMPY"sv, 0,
     "a NumPy array, which only --rhs reads, and only from a regular file; write a matrix with "
     "scipy.io.mmwrite, and numbers of rows as text with numpy.savetxt"},
    {"<!DOCTYPE"sv, 0, web_page},
    {"<html"sv, 0, web_page},
    {"version https://git-lfs"sv, 0,
     "a pointer of Git LFS, not the file itself; fetch that with git lfs pull"},
}};

/// Detects UTF-16 without a byte-order mark: every second byte of ASCII characters is 0.
bool alternates_with_zeros(std::string_view text) {
  constexpr std::size_t bytes = 8;
  if (text.size() < bytes) return false;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t k = 0; k < bytes; ++k) zeros[k % 2] += text[k] == '\0' ? 1 : 0;
  return (zeros[0] == 0 && zeros[1] == bytes / 2) || (zeros[1] == 0 && zeros[0] == bytes / 2);
}

/// Returns whether the first line ends with CR alone, as on old Macs.
bool ends_lines_with_cr(std::string_view text) {
  const std::size_t end = text.find_first_of("\r\n");
  const std::size_t next = text.find_first_not_of('\r', end);
  return end != std::string_view::npos && text[end] == '\r' && next != std::string_view::npos &&
         text[next] != '\n';
}

/// Returns whether a word is a type such as RSA, PUA or CZE.
bool is_boeing_type(std::string_view word) {
  constexpr std::array<std::string_view, 3> letters{"RCPIQX", "SUHZR", "AEF"};
  if (word.size() != letters.size()) return false;
  for (std::size_t k = 0; k < letters.size(); ++k) {
    const auto letter = static_cast<char>(std::toupper(static_cast<unsigned char>(word[k])));
    if (letters[k].find(letter) == std::string_view::npos) return false;
  }
  return true;
}

bool is_boeing_header(LineScanner scanner) {
  std::string_view line;
  if (!scanner.next(line) || !scanner.next(line)) return false;
  FieldScanner counts(line);
  Count count = 0;
  int numbers = 0;
  while (!counts.at_end()) {
    if (!counts.integer(count)) return false;
    ++numbers;
  }
  if (numbers < 4 || !scanner.next(line)) return false;
  FieldScanner sizes(line);
  return is_boeing_type(sizes.word()) && sizes.integer(count) && sizes.integer(count);
}

}  // namespace

FileFormat recognized_format(const TextSource& source) {
  LineScanner scanner(source.beginning());
  std::string_view line;
  while (scanner.next(line)) {
    FieldScanner fields(line);
    if (fields.at_end()) continue;
    if (is_matrix_market_banner(fields.word())) return FileFormat::matrix_market;
    break;
  }
  const bool boeing = is_boeing_header(LineScanner(source.beginning()));
  return boeing ? FileFormat::harwell_boeing : FileFormat::automatic;
}

void expect_lines_of_text(const TextSource& source) {
  const std::string_view text = source.beginning();
  const auto refuse = [&](const std::string& message) {
    throw InputError(source.path() + ": this is " + message);
  };
  for (const auto& [bytes, at, message] : signatures) {
    if (at <= text.size() && text.substr(at).starts_with(bytes)) refuse(message);
  }
  if (alternates_with_zeros(text)) refuse(utf16);
  const bool is_text = text.find('\0') == std::string_view::npos;
  if (is_text && ends_lines_with_cr(text)) {
    refuse(
        "text whose lines end with CR alone, as on old Macs; convert it with: "
        "tr '\\r' '\\n' < FILE > NEW");
  }
}

}  // namespace espalier::internal
