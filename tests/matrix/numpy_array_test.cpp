// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/numpy_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;

const std::string doubles =
    std::endian::native == std::endian::little ? "'descr': '<f8'" : "'descr': '>f8'";

std::string bytes_of(const std::vector<double>& values) {
  std::string bytes(values.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Returns a file of this version of the format, with a header and values.
std::string file_of(const std::string& header, const std::vector<double>& values,
                    char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  const std::size_t length = header.size();
  text += static_cast<char>(length % 256);
  text += static_cast<char>(length / 256);
  if (version > 1) text += std::string(2, '\0');
  return text + header + bytes_of(values);
}

class NumpyArrayTest : public testing::Test {
 protected:
  DenseVectors read(const std::string& content, Index n) {
    return read_numpy_vectors(folder.write("b.npy", content), n);
  }
  void expect_refused(const std::string& content, std::initializer_list<std::string> parts) {
    SCOPED_TRACE(content);
    expect_error<InputError>([&] { read(content, 2); }, {"b.npy"});
    expect_error<InputError>([&] { read(content, 2); }, parts);
  }
  std::string header(const std::string& shape, const std::string& by_columns = "False") {
    return "{" + doubles + ", 'fortran_order': " + by_columns + ", 'shape': " + shape + ", }\n";
  }

  support::TemporaryFolder folder;
};

TEST_F(NumpyArrayTest, ReadsVectorsInEitherOrder) {
  const std::vector<double> by_rows{1, 10, 100, 2, 20, 200};
  const std::vector<double> by_columns{1, 2, 10, 20, 100, 200};
  EXPECT_EQ(read(file_of(header("(2, 3)"), by_rows), 2).value, by_columns);
  const DenseVectors b = read(file_of(header("(2, 3)", "True"), by_columns), 2);
  EXPECT_EQ(b.value, by_columns);
  EXPECT_EQ(b.count, 3);
  for (const char* const shape : {"(6,)", "(6, 1)", "(6,1,)"}) {
    for (const char* const order : {"False", "True"}) {
      EXPECT_EQ(read(file_of(header(shape, order), by_rows), 6).value, by_rows);
    }
  }
}

TEST_F(NumpyArrayTest, ReadsAllVersionsAndOrdersOfTheHeader) {
  const std::string other =
      "{\"shape\":(2,),\"fortran_order\":False,\"descr\"" + doubles.substr(7) + "}   \n";
  for (const char version : {1, 2, 3}) {
    EXPECT_EQ(read(file_of(header("(2,)"), {3, 4}, version), 2).value, (std::vector<double>{3, 4}));
    EXPECT_EQ(read(file_of(other, {3, 4}, version), 2).value, (std::vector<double>{3, 4}));
  }
}

TEST_F(NumpyArrayTest, RefusesWhatIsNoArray) {
  expect_refused("", {"truncated"});
  expect_refused("%%MatrixMarket matrix array real general\n2 1\n1\n2\n", {"not a NumPy array"});
  expect_refused(file_of(header("(2,)"), {3, 4}, 4), {"version 4"});
  expect_refused(file_of(header("(2,)"), {3, 4}).substr(0, 30), {"longer than the file"});
  for (const char* const text : {"", "{}", "{'shape': (2,)}", "nothing at all",
                                 "{'descr': '<f8', 'descr': '<f8', 'shape': (2,)}"}) {
    expect_refused(file_of(text, {3, 4}), {"the header", "descr, fortran_order and shape"});
  }
  for (const char* const shape : {"2", "(2", "(2 3)", "(x,)", "(,)", "(99999999999999999999,)"}) {
    expect_refused(file_of(header(shape), {3, 4}), {"the header"});
  }
  expect_error<InputError>([&] { read_numpy_vectors(folder.path("none.npy"), 2); },
                           {"no such file"});
  expect_error<InputError>([&] { read_numpy_vectors(folder.path("."), 2); }, {"file"});
}

TEST_F(NumpyArrayTest, RefusesOtherNumbersAndShapes) {
  for (const char* const type : {"<f2", "<f16", "<c16", "|O", "<U3", "f8", "<M8[s]", "|f"}) {
    const std::string text =
        std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (2,), }";
    expect_refused(file_of(text, {3, 4}), {type, "float64"});
  }
  expect_refused(file_of(header("()"), {3}), {"1 rows", "the matrix has 2"});
  expect_refused(file_of(header("(1, 2)"), {3, 4}), {"1 rows", "the matrix has 2", "transpose"});
  expect_refused(file_of(header("(1, 1, 2)"), {3, 4}), {"3 dimensions"});
  expect_refused(file_of(header("(3,)"), {3, 4, 5}), {"3 rows", "the matrix has 2"});
  expect_refused(file_of(header("(-2,)"), {3, 4}), {"-2 rows"});
  for (const char* const shape : {"(2, 0)", "(2, -1)", "(2, 2)", "(2, 4294967297)"}) {
    expect_refused(file_of(header(shape), {3, 4}), {"announces", "16 bytes"});
  }
}

template <class Number>
std::string elements(std::vector<Number> values, bool swapped) {
  std::string bytes;
  for (const Number& value : values) {
    std::string element(sizeof(Number), '\0');
    std::memcpy(element.data(), &value, sizeof value);
    if (swapped) std::ranges::reverse(element);
    bytes += element;
  }
  return bytes;
}

TEST_F(NumpyArrayTest, ReadsFloatsAndIntegersInEitherByteOrder) {
  const bool little = std::endian::native == std::endian::little;
  const auto expect_read = [&]<class Number>(const std::string& type, std::vector<Number> values) {
    for (const bool swapped : {false, true}) {
      const std::string order(1, sizeof(Number) == 1 ? '|' : little != swapped ? '<' : '>');
      SCOPED_TRACE(order + type);
      const std::string start =
          file_of("{'descr': '" + order + type + "', 'fortran_order': False, 'shape': (2,)}", {});
      const std::vector<double> expected(values.begin(), values.end());
      EXPECT_EQ(read(start + elements(values, swapped), 2).value, expected);
    }
  };
  expect_read("f8", std::vector<double>{0.1, -2e300});
  expect_read("f4", std::vector<float>{0.1F, -2e30F});
  expect_read("i8", std::vector<std::int64_t>{-5, std::int64_t{1} << 40});
  expect_read("i4", std::vector<std::int32_t>{-5, 1 << 30});
  expect_read("i2", std::vector<std::int16_t>{-5, 30000});
  expect_read("i1", std::vector<std::int8_t>{-5, 127});
  expect_read("u8", std::vector<std::uint64_t>{5, std::uint64_t{1} << 63});
  expect_read("u4", std::vector<std::uint32_t>{5, 4000000000});
  expect_read("u2", std::vector<std::uint16_t>{5, 60000});
  expect_read("u1", std::vector<std::uint8_t>{5, 255});
  expect_read("b1", std::vector<std::uint8_t>{0, 1});
}

TEST_F(NumpyArrayTest, ReadsManyElements) {
  std::vector<double> values(20001);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  EXPECT_EQ(read(file_of(header("(20001,)"), values), 20001).value, values);
}

TEST_F(NumpyArrayTest, ReadsASingleNumberAndNone) {
  EXPECT_EQ(read(file_of(header("()"), {3}), 1).value, (std::vector<double>{3}));
  EXPECT_TRUE(read(file_of(header("(0,)"), {}), 0).value.empty());
  expect_error<InputError>([&] { read(file_of(header("(0,)"), {3}), 0); }, {"damaged"});
}

TEST_F(NumpyArrayTest, RecognizesAFileByItsContent) {
  EXPECT_TRUE(holds_numpy_array(folder.write("b.dat", file_of(header("(1,)"), {3}))));
  EXPECT_FALSE(holds_numpy_array(folder.write("b.npy", "1\n2\n")));
  EXPECT_FALSE(holds_numpy_array(folder.path("none")));
  EXPECT_FALSE(holds_numpy_array("/dev/null"));
}

TEST_F(NumpyArrayTest, RefusesDamagedNumbers) {
  const std::string whole = file_of(header("(2,)"), {3, 4});
  expect_refused(whole.substr(0, whole.size() - 1), {"15 bytes"});
  expect_refused(whole + "x", {"17 bytes"});
  const double infinity = std::numeric_limits<double>::infinity();
  expect_refused(file_of(header("(2,)"), {3, infinity}), {"value 2", "not finite"});
  expect_refused(file_of(header("(2,)"), {-infinity, 4}), {"value 1", "not finite"});
}

TEST(NumpyHeader, IsAlignedAndSaysTheShape) {
  for (const Index n : {1, 9, 12345, 2147483647}) {
    for (const Index count : {1, 2, 1000}) {
      const std::string header = numpy_header(n, count);
      EXPECT_EQ(header.size() % 64, 0U);
      EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
      EXPECT_EQ(
          static_cast<unsigned char>(header[8]) + 256U * static_cast<unsigned char>(header[9]),
          header.size() - 10);
      EXPECT_EQ(header.back(), '\n');
      const std::string shape =
          std::to_string(n) + (count == 1 ? ",)" : ", " + std::to_string(count) + ")");
      EXPECT_NE(header.find("'shape': (" + shape), std::string::npos) << header;
      EXPECT_NE(header.find(count == 1 ? "'fortran_order': False" : "'fortran_order': True"),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace espalier::internal
