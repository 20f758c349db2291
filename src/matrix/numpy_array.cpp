// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/numpy_array.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>

#include "base/printable.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::string_view own_type = std::endian::native == std::endian::little ? "<f8" : ">f8";

/// Header of an array file.
struct ArrayHeader {
  std::string type;
  bool by_columns = false;
  std::vector<Count> shape;
};

/// Scans the dictionary of the header. Its functions return false if something else follows.
class DictionaryScanner {
 public:
  explicit DictionaryScanner(std::string_view text) : text_(text) {}

  bool at_end() {
    skip_blanks();
    return text_.empty();
  }

  bool symbol(char wanted) { return word(std::string_view(&wanted, 1)); }

  bool word(std::string_view wanted) {
    skip_blanks();
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }

  bool quoted(std::string& value) {
    skip_blanks();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return false;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return false;
    value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }

  bool truth(bool& value) {
    value = word("True");
    return value || word("False");
  }

  /// Parses a tuple of whole numbers: (), (3,), (3, 4) or (3, 4,).
  bool numbers(std::vector<Count>& values) {
    if (!symbol('(')) return false;
    while (!symbol(')')) {
      skip_blanks();
      Count value = 0;
      const auto [at, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc()) return false;
      text_.remove_prefix(static_cast<std::size_t>(at - text_.data()));
      values.push_back(value);
      if (!symbol(',') && !text_.starts_with(')')) return false;
    }
    return true;
  }

 private:
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size()));
  }

  std::string_view text_;
};

/// Parses one entry of the dictionary. `seen` lists the keys so far.
bool take_entry(DictionaryScanner& scanner, ArrayHeader& header, std::string& seen) {
  std::string key;
  if (!scanner.quoted(key) || !scanner.symbol(':') || seen.find(key + ",") != std::string::npos) {
    return false;
  }
  seen += key + ",";
  if (key == "descr") return scanner.quoted(header.type);
  if (key == "fortran_order") return scanner.truth(header.by_columns);
  return key == "shape" && scanner.numbers(header.shape);
}

bool parse_header(std::string_view text, ArrayHeader& header) {
  constexpr int entries = 3;
  DictionaryScanner scanner(text);
  std::string seen;
  if (!scanner.symbol('{')) return false;
  for (int k = 0; k < entries; ++k) {
    if (!take_entry(scanner, header, seen)) return false;
    if (!scanner.symbol(',') && k + 1 < entries) return false;
  }
  return scanner.symbol('}') && scanner.at_end();
}

/// A supported type of numbers in an array.
struct ElementType {
  std::string_view name;  ///< NumPy's name without the byte order
  Count bytes;
  double (*read)(const char* element);  ///< reads an element in the byte order of this machine
  bool swapped = false;                 ///< whether the file has the other byte order
};

template <class Number>
double read_element(const char* element) {
  Number number;
  std::memcpy(&number, element, sizeof number);
  return static_cast<double>(number);
}

constexpr std::array<ElementType, 11> element_types{{
    {"f8", 8, read_element<double>},
    {"f4", 4, read_element<float>},
    {"i8", 8, read_element<std::int64_t>},
    {"i4", 4, read_element<std::int32_t>},
    {"i2", 2, read_element<std::int16_t>},
    {"i1", 1, read_element<std::int8_t>},
    {"u8", 8, read_element<std::uint64_t>},
    {"u4", 4, read_element<std::uint32_t>},
    {"u2", 2, read_element<std::uint16_t>},
    {"u1", 1, read_element<std::uint8_t>},
    {"b1", 1, read_element<std::uint8_t>},
}};

/// Reads a file with one array.
class ArrayFile {
 public:
  explicit ArrayFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) fail("there is no such file");
    if (!std::filesystem::is_regular_file(path, error)) fail("this is not a regular file");
    if (!file_) fail("the file cannot be opened");
    bytes_ = static_cast<Count>(std::filesystem::file_size(path, error));
    if (error) fail("the size of the file is unknown (" + error.message() + ")");
  }

  /// Returns the vectors, which must have length n.
  DenseVectors read(Index n, std::string_view noun) {
    const ArrayHeader header = read_header();
    const ElementType type = element_type(header);
    DenseVectors vectors;
    vectors.n = n;
    vectors.count = count_of(header, type, n, noun);
    std::vector<double> value = take_numbers(type, static_cast<Count>(n) * vectors.count);
    const auto bad = std::ranges::find_if(value, [](double v) { return !std::isfinite(v); });
    if (bad != value.end()) {
      fail("the value " + std::to_string(bad - value.begin() + 1) + " of the array is not finite");
    }
    vectors.value = header.by_columns || vectors.count == 1 ? std::move(value)
                                                            : by_columns(value, n, vectors.count);
    return vectors;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw InputError(path_ + ": " + reason);
  }

  void take(void* to, std::size_t bytes) {
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (static_cast<std::size_t>(file_.gcount()) != bytes) {
      fail("the file ends before its array does: it is truncated");
    }
  }

  /// Reads an unsigned number of `bytes` bytes, lowest byte first.
  std::size_t take_number(int bytes) {
    std::size_t number = 0;
    for (int k = 0; k < bytes; ++k) {
      unsigned char byte = 0;
      take(&byte, 1);
      number |= static_cast<std::size_t>(byte) << (8 * k);
    }
    return number;
  }

  ArrayHeader read_header() {
    std::string begin(magic.size(), '\0');
    take(begin.data(), begin.size());
    if (begin != magic)
      fail("this is not a NumPy array, because it does not begin with \\x93NUMPY");
    const std::size_t version = take_number(1);
    take_number(1);  // minor version, which does not matter
    if (version < 1 || version > 3) {
      fail("the format has version " + std::to_string(version) + "; expected 1, 2 or 3");
    }
    const std::size_t length = take_number(version == 1 ? 2 : 4);
    if (static_cast<Count>(length) > bytes_) fail("the header is longer than the file");
    std::string text(length, '\0');
    take(text.data(), length);
    ArrayHeader header;
    if (!parse_header(text, header)) {
      fail("the header " + internal::quoted(text) +
           " is not that of an array of numbers: a dictionary with descr, fortran_order and shape");
    }
    return header;
  }

  ElementType element_type(const ArrayHeader& header) const {
    const std::string& name = header.type;  // such as <f8: byte order, kind and size
    const bool usable =
        name.size() == 3 && std::string_view("<>|=").find(name[0]) != std::string_view::npos;
    for (const ElementType& known : element_types) {
      if (!usable || name.substr(1) != known.name) continue;
      ElementType type = known;
      type.swapped = name[0] == (std::endian::native == std::endian::little ? '>' : '<');
      return type;
    }
    fail("the numbers are " + internal::quoted(name) +
         "; expected floats of 32 or 64 bits or integers, as astype(numpy.float64) makes them");
  }

  std::vector<double> take_numbers(const ElementType& type, Count count) {
    constexpr Count at_a_time = 8192;
    std::vector<double> value;
    value.reserve(count);
    std::vector<char> block(at_a_time * type.bytes);
    for (Count left = count; left > 0;) {
      const Count some = std::min(left, at_a_time);
      take(block.data(), some * type.bytes);
      for (char* at = block.data(); at != block.data() + some * type.bytes; at += type.bytes) {
        if (type.swapped) std::reverse(at, at + type.bytes);
        value.push_back(type.read(at));
      }
      left -= some;
    }
    return value;
  }

  /// Returns the number of vectors.
  Index count_of(const ArrayHeader& header, const ElementType& type, Index n,
                 std::string_view noun) {
    const std::vector<Count>& shape = header.shape;
    if (shape.size() > 2) {
      fail("the array has " + std::to_string(shape.size()) +
           " dimensions; expected one, or two with a column for each right-hand side");
    }
    const Count rows = shape.empty() ? 1 : shape[0];
    const Count columns = shape.size() < 2 ? 1 : shape[1];
    if (rows != n) {
      fail(wrong_rows(noun, rows, n) + (columns == n ? "; save the transpose of the array" : ""));
    }
    const Count a_column = n * type.bytes;
    const Count left = bytes_ - static_cast<Count>(file_.tellg());
    const bool fits = n == 0 ? left == 0 : left % a_column == 0 && left / a_column == columns;
    if (columns < 1 || columns > std::numeric_limits<Index>::max() || !fits) {
      fail("the header announces " + std::to_string(columns) + " vectors of " + std::to_string(n) +
           " numbers of " + std::to_string(type.bytes) + " bytes, and " + std::to_string(left) +
           " bytes follow: " + (columns == 0 ? "there is no vector" : "the file is damaged"));
    }
    return static_cast<Index>(columns);
  }

  std::string path_;
  std::ifstream file_;
  Count bytes_ = 0;
};

}  // namespace

std::string numpy_header(Index n, Index count) {
  constexpr std::size_t alignment = 64;  // alignment of the numbers in the file
  constexpr std::size_t before = 10;     // bytes of the magic string, the version and the length
  const std::string shape = count == 1 ? std::to_string(n) + ",)"
                                       : std::to_string(n) + ", " + std::to_string(count) + ")";
  std::string text = "{'descr': '" + std::string(own_type) +
                     "', 'fortran_order': " + (count == 1 ? "False" : "True") + ", 'shape': (" +
                     shape + ", }";
  text.append(alignment - 1 - (before + text.size()) % alignment, ' ');
  text += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() % 256);
  header += static_cast<char>(text.size() / 256);
  return header + text;
}

bool holds_numpy_array(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(magic.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == magic;
}

DenseVectors read_numpy_vectors(const std::string& path, Index n, std::string_view noun) {
  return ArrayFile(path).read(n, noun);
}

}  // namespace espalier::internal
