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

/// Error of a failed read, as reported by zlib.
struct ReadFailure {
  int code = 0;                  ///< code of zlib; 0 if nothing failed
  int error_number = 0;          ///< errno, if the code is Z_ERRNO
  const char* reason = nullptr;  ///< valid until the next use of the file
};

/// Reads from a file, plain or gzipped, into memory. Returns the number of bytes read. They are
/// fewer than `wanted` at the end of the file or after a failure.
std::size_t read_some(gzFile_s* file, char* to, std::size_t wanted, ReadFailure& failure);

/// Reads a file, plain or gzipped, on a separate thread, some blocks ahead. Thus the thread
/// inflates while others parse. Uses 1 MiB of memory.
class ReadAhead {
 public:
  /// Other code must not use the file during the lifetime of this object. Throws std::system_error
  /// if the thread cannot start.
  explicit ReadAhead(gzFile_s* file);
  /// Waits for the read in progress. Use this class only for files that never make a read wait
  /// long.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Like read_some(), in the order of the file.
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
  std::size_t filled_ = 0;  ///< number of blocks filled so far
  std::size_t taken_ = 0;   ///< number of blocks given completely
  std::size_t given_ = 0;   ///< number of bytes given of the current block
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace espalier::internal
