// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr std::size_t longest_number = 32;

std::string last_error() { return std::generic_category().message(errno); }

}  // namespace

OutputFile::OutputFile(std::string path, Folders folders, Kept kept)
    : path_(std::move(path)), file_(path_, folders, kept) {
  buffer_.reserve(buffer_bytes + longest_number);
  // The writer is opened last, because the destructor does not run if this constructor throws. The
  // writer gets a duplicate of the file's descriptor, because gzclose_w() closes the writer's
  // descriptor, but the file still needs one to get its name.
  const int descriptor = fcntl(file_.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) fail(last_error());
  writer_ = gzdopen(descriptor, path_.ends_with(".gz") ? "wb6" : "wbT");
  if (writer_ == nullptr) {
    close(descriptor);
    throw std::bad_alloc();
  }
}

OutputFile::~OutputFile() {
  if (writer_ != nullptr) gzclose_w(writer_);
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
  if (bytes > 0 && gzwrite(writer_, buffer_.data(), bytes) != static_cast<int>(bytes)) {
    int code = Z_OK;
    gzerror(writer_, &code);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    fail(last_error());
  }
  buffer_.clear();
}

void OutputFile::finish() {
  if (writer_ == nullptr) return;
  flush();
  errno = 0;
  const int closed = gzclose_w(std::exchange(writer_, nullptr));
  if (closed == Z_MEM_ERROR) throw std::bad_alloc();
  if (closed != Z_OK) fail(last_error());
  errno = file_.synchronize();
  if (errno != 0) fail(last_error());
  buffer_ = {};
}

void OutputFile::commit() {
  finish();
  if (PendingFile::publish({&file_}) != nullptr) fail(last_error());
}

void OutputFile::fail(const std::string& reason) const {
  throw RuntimeFailure(path_ + ": the file cannot be written (" + reason + ")");
}

/// Destroys the files in reverse order, because a file may have created the folder of later ones.
Outputs::~Outputs() {
  while (!files_.empty()) files_.pop_back();
}

OutputFile& Outputs::add(const std::string& path, OutputFile::Folders folders) {
  constexpr std::size_t most_descriptors = 64;
  const bool open = files_.size() < most_descriptors;
  return files_.emplace_back(path, folders,
                             open ? OutputFile::Kept::without_name : OutputFile::Kept::with_name);
}

void Outputs::commit() {
  std::vector<PendingFile*> pending;
  for (OutputFile& file : files_) {
    file.finish();
    pending.push_back(&file.file_);
  }
  const PendingFile* const failed = PendingFile::publish(pending);
  if (failed == nullptr) return;
  const std::string why = last_error();
  for (const OutputFile& file : files_) {
    if (&file.file_ == failed) file.fail(why);
  }
}

}  // namespace espalier::internal
