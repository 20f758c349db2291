// SPDX-License-Identifier: BSD-3-Clause

// Main program of a fuzz target without libFuzzer. It tries all files of a folder, then MUTATIONS
// mutations of these files. The mutations are the same in each run. If FILE is given, each input is
// written to it first, so that it holds the input that breaks the target. Usage: TARGET FOLDER
// MUTATIONS [FILE]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/mutation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed);

namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t longest = 4096;

std::vector<Input> inputs_in(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder)) paths.push_back(file.path());
  std::ranges::sort(paths);
  std::vector<Input> inputs;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return inputs;
}

Input mutated(Input input, unsigned seed) {
  const std::size_t size = std::min(input.size(), longest);
  input.resize(longest);
  input.resize(LLVMFuzzerCustomMutator(input.data(), size, longest, seed));
  return input;
}

void run(const Input& input, const char* kept) {
  if (kept != nullptr) {
    std::ofstream(kept, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
  }
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  static espalier::fuzz::Dice dice(1);
  const std::size_t at = dice.roll(size);
  switch (dice.roll(4)) {
    case 0:
      if (size > 1) return std::copy(data + at + 1, data + size, data + at) - data;
      break;
    case 1:
      if (size < most) {
        std::copy_backward(data + at, data + size, data + size + 1);
        data[at] = static_cast<std::uint8_t>(dice.roll(256));
        return size + 1;
      }
      break;
    case 2:
      if (size > 0) std::swap(data[at], data[dice.roll(size)]);
      break;
    default:
      if (size > 0) data[at] = static_cast<std::uint8_t>(data[at] ^ 1u << dice.roll(8));
  }
  return size;
}

int main(int argc, char** argv) {
  const int mutations = argc > 2 ? std::atoi(argv[2]) : 0;
  std::vector<Input> pool = argc > 1 ? inputs_in(argv[1]) : std::vector<Input>();
  if (pool.empty() || mutations < 1) {
    std::fprintf(stderr, "usage: %s FOLDER MUTATIONS [FILE]\n", argv[0]);
    return 2;
  }
  const char* const kept = argc > 3 ? argv[3] : nullptr;
  for (const Input& input : pool) run(input, kept);
  const std::size_t seeds = pool.size();
  for (std::size_t k = 0; k < 100; ++k) pool.push_back(pool[k % seeds]);
  espalier::fuzz::Dice dice(2);
  for (int k = 1; k <= mutations; ++k) {
    Input input = mutated(dice.pick(pool), static_cast<unsigned>(k));
    run(input, kept);
    pool[seeds + dice.roll(pool.size() - seeds)] = std::move(input);  // seeds stay
  }
  return 0;
}
