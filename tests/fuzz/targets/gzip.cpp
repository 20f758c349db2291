// SPDX-License-Identifier: BSD-3-Clause

// Compressed files of Matrix Market, complete or damaged after compression. The first byte of the
// input selects the damage, the second one its position, and the rest is the text.

#include <zlib.h>

#include "matrix/matrix_market.hpp"
#include "support/matrix_checks.hpp"
#include "support/matrix_text.hpp"

namespace espalier::fuzz {

using namespace internal;

namespace {

std::string compressed(const std::string& text) {
  constexpr int gzip_window = 15 + 16;
  z_stream stream{};
  expect(deflateInit2(&stream, 6, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string packed(deflateBound(&stream, text.size()) + 32, '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  expect(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflate");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Returns the file, and whether it is complete.
std::pair<std::string, bool> packed_file(std::uint8_t how, std::uint8_t where,
                                         const std::string& text) {
  std::string packed = compressed(text);
  const std::size_t at = packed.size() * where / 256;
  switch (how % 8) {
    case 0: return {packed.substr(0, at), false};
    case 1: packed[at] = static_cast<char>(packed[at] ^ (1 << how / 32)); return {packed, false};
    case 2: return {packed.substr(0, packed.size() - 1 - where % 8), false};
    case 3: {  // two members, as by gzip -c >>
      const std::size_t cut = text.size() * where / 256;
      return {compressed(text.substr(0, cut)) + compressed(text.substr(cut)), true};
    }
    default: return {packed, true};
  }
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("gzip");
  static InputFile plain_file(".mtx");
  static InputFile packed_one(".mtx.gz");
  if (bytes.size() < 3) return;
  tally.input();
  const std::string text = text_of(bytes.subspan(2));
  const std::uint32_t variant = hash_of(bytes);
  const auto [content, whole] = packed_file(bytes[0], bytes[1], text);
  const auto packed =
      read_matrix(read_coordinate_matrix, packed_one.holding(content), Values::required, variant);
  const auto plain =
      read_matrix(read_coordinate_matrix, plain_file.holding(text), Values::required, variant / 4);
  if (packed) tally.note("accepted");
  if (whole || packed) expect_same(plain, packed, "a compressed file");
}

std::optional<std::string> other_input(const std::string& input, Dice& dice) {
  if (input.size() < 3 || dice.chance(1, 4)) return std::nullopt;
  const auto text = mutated_coordinate_file(input.substr(2), dice);
  return text ? std::optional(input.substr(0, 2) + *text) : std::nullopt;
}

}  // namespace espalier::fuzz
