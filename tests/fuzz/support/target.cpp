// SPDX-License-Identifier: BSD-3-Clause
#include "support/target.hpp"

#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace espalier::fuzz {

std::uint32_t hash_of(Bytes bytes) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 16777619u;
  return hash ^ hash >> 15;
}

void expect(bool kept, const std::string& what) {
  if (kept) return;
  std::fprintf(stderr, "fuzz: broken promise: %s\n", what.c_str());
  std::abort();
}

Tally::~Tally() {
  if (inputs_ == 0) return;
  std::fprintf(stderr, "fuzz: %s: %llu inputs", target_.c_str(),
               static_cast<unsigned long long>(inputs_));
  for (const auto& [outcome, times] : outcomes_) {
    std::fprintf(stderr, ", %s %llu (%.1f %%)", outcome.c_str(),
                 static_cast<unsigned long long>(times),
                 100.0 * static_cast<double>(times) / static_cast<double>(inputs_));
  }
  std::fputc('\n', stderr);
}

namespace {

/// Returns a folder in memory if possible, because Espalier waits until its files are on the disk.
std::filesystem::path folder_of_files() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code error;
  return std::filesystem::is_directory(memory, error) ? memory
                                                      : std::filesystem::temp_directory_path();
}

}  // namespace

InputFile::InputFile(const std::string& ending)
    : path_(folder_of_files() / ("espalier-fuzz-" + std::to_string(getpid()) + ending)) {}

InputFile::~InputFile() { std::remove(path_.c_str()); }

const std::string& InputFile::holding(std::string_view content) {
  std::FILE* const file = std::fopen(path_.c_str(), "wb");
  expect(file != nullptr, "no file can be made at " + path_);
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  expect(std::fclose(file) == 0 && written, "no file can be written at " + path_);
  return path_;
}

void expect_message(const std::string& message) {
  const auto printable = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; };
  expect(!message.empty() && std::ranges::all_of(message, printable),
         "a message that is not a line of text: " + message);
}

}  // namespace espalier::fuzz

// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4:malloc_context_size=8:allocator_may_return_null=1";
}

/// Keeps zlib's small buffers instead of the larger ones of TextSource. With sanitizers,
/// allocations above 128 KiB are mapped and unmapped for each input, which takes half of the time.
extern "C" int gzbuffer(gzFile_s* /*file*/, unsigned /*bytes*/) { return 0; }
