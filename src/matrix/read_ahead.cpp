// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/read_ahead.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>

namespace espalier::internal {

std::size_t read_some(gzFile_s* file, char* to, std::size_t wanted, ReadFailure& failure) {
  errno = 0;
  const int got = gzread(file, to, static_cast<unsigned>(wanted));
  failure.error_number = errno;
  failure.reason = gzerror(file, &failure.code);
  if (failure.code == Z_STREAM_END) failure.code = Z_OK;
  return static_cast<std::size_t>(std::max(got, 0));
}

ReadAhead::ReadAhead(gzFile_s* file) : file_(file) {
  for (Block& block : block_) block.bytes.resize(block_bytes);
  thread_ = std::thread([this] { fill_blocks(); });
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::fill_blocks() {
  for (bool more = true; more;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || filled_ - taken_ < blocks; });
    if (stopped_) return;
    Block& block = block_[filled_ % blocks];
    lock.unlock();
    block.size = read_some(file_, block.bytes.data(), block_bytes, block.failure);
    more = block.size == block_bytes && block.failure.code == Z_OK;
    lock.lock();
    ++filled_;
    lock.unlock();
    changed_.notify_all();
  }
}

std::size_t ReadAhead::read(char* to, std::size_t wanted, ReadFailure& failure) {
  std::size_t got = 0;
  while (got < wanted) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ > taken_; });
    lock.unlock();
    const Block& block = block_[taken_ % blocks];
    const std::size_t some = std::min(wanted - got, block.size - given_);
    std::copy_n(block.bytes.data() + given_, some, to + got);
    got += some;
    given_ += some;
    if (given_ < block.size) break;
    failure = block.failure;
    if (block.size < block_bytes || failure.code != Z_OK) break;  // the last block stays
    lock.lock();
    ++taken_;
    given_ = 0;
    lock.unlock();
    changed_.notify_all();
  }
  return got;
}

}  // namespace espalier::internal
