// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr std::size_t longest_number = 32;

std::string last_error() { return std::generic_category().message(errno); }

/// A new file beside `target` with the permissions that any new file gets; -1 with errno set.
int create_beside(const std::string& target, std::string& name) {
  constexpr int attempts = 100;
  for (int k = 0; k < attempts; ++k) {
    name = target + ".partial-" + std::to_string(getpid()) + "-" + std::to_string(k);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(path_) {
  buffer_.reserve(buffer_bytes + longest_number);
  open();  // last, as the destructor does not run where this one throws
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) gzclose_w(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::open() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  int descriptor = -1;
  if (fs::is_directory(status)) {
    errno = EISDIR;
  } else if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (!fs::exists(status) || access(path_.c_str(), W_OK) == 0) {
    if (fs::exists(status)) target_ = fs::canonical(path_, error).string();
    descriptor = create_beside(target_, temporary_);
    if (descriptor < 0) temporary_.clear();
  }
  if (descriptor < 0) {
    throw InputError(path_ + ": the file cannot be created (" + last_error() + ")");
  }
  file_ = gzdopen(descriptor, path_.ends_with(".gz") ? "wb6" : "wbT");
  if (file_ == nullptr) {
    close(descriptor);
    if (!temporary_.empty()) unlink(temporary_.c_str());
    throw std::bad_alloc();
  }
}

void OutputFile::text(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffer_bytes) flush();
}

void OutputFile::integer(Count value) {
  char digits[longest_number];
  text({digits, std::to_chars(digits, digits + longest_number, value).ptr});
}

void OutputFile::real(double value) {
  char digits[longest_number];
  text({digits, std::to_chars(digits, digits + longest_number, value).ptr});
}

void OutputFile::flush() {
  errno = 0;
  const auto bytes = static_cast<unsigned>(buffer_.size());
  if (bytes > 0 && gzwrite(file_, buffer_.data(), bytes) != static_cast<int>(bytes)) {
    int code = Z_OK;
    gzerror(file_, &code);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    fail(last_error());
  }
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  errno = 0;
  const int closed = gzclose_w(std::exchange(file_, nullptr));
  if (closed == Z_MEM_ERROR) throw std::bad_alloc();
  if (closed != Z_OK) fail(last_error());
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(last_error());
  temporary_.clear();
}

void OutputFile::fail(const std::string& reason) const {
  throw RuntimeFailure(path_ + ": the file cannot be written (" + reason + ")");
}

}  // namespace espalier::internal
