// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

struct gzFile_s;

namespace espalier::internal {

/// What zlib said of a read that failed.
struct ReadFailure {
  int code = 0;                  ///< zlib's; 0 where nothing failed
  int error_number = 0;          ///< the system's, where the code is Z_ERRNO
  const char* reason = nullptr;  ///< until the file is used again
};

/// Reads from a file, plain or gzipped, into memory. Returns how many bytes there were, fewer than
/// wanted at the end or where it failed.
std::size_t read_some(gzFile_s* file, char* to, std::size_t wanted, ReadFailure& failure);

/// Reads a file, plain or gzipped, by a thread of its own, some blocks before they are asked for:
/// that it inflates beside whoever parses. Takes a MiB.
class ReadAhead {
 public:
  /// The file is this object's alone while it lives. Throws std::system_error where the system has
  /// no room for a thread.
  explicit ReadAhead(gzFile_s* file);
  /// Waits for the read under way, so that the file should be one whose bytes are there.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// As read_some(), in the order of the file.
  std::size_t read(char* to, std::size_t wanted, ReadFailure& failure);

 private:
  struct Block {
    std::vector<char> bytes;
    std::size_t size = 0;
    ReadFailure failure;
  };
  static constexpr std::size_t block_bytes = std::size_t{1} << 18;
  static constexpr std::size_t blocks = 4;

  void fill_blocks();

  gzFile_s* file_;
  std::array<Block, blocks> block_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t filled_ = 0;  ///< how many blocks have been
  std::size_t taken_ = 0;   ///< how many were given, whole
  std::size_t given_ = 0;   ///< bytes of the one at hand
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace espalier::internal
