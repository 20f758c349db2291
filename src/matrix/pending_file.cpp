// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/pending_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

/// Names of unpublished files and folders in the file system, for remove_pending_files().
struct Leftovers {
  std::timed_mutex mutex;  ///< also held while files are published
  std::set<std::string> files;
  std::set<std::string> folders;  ///< parents come before inner folders
};

/// Returns the names. They are never destroyed, because the process may end on another thread while
/// this one leaves main().
Leftovers& leftovers() {
  static auto& all = *new Leftovers;
  return all;
}

std::string reason() { return std::generic_category().message(errno); }

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw InputError(path + ": the file cannot be created (" + why + ")");
}

fs::path folder_of(const std::string& target) {
  const fs::path folder = fs::path(target).parent_path();
  return folder.empty() ? "." : folder;
}

/// Returns a new descriptor of standard output or error if it is the given file, else -1.
int stream_that_is(const struct stat& file) {
  for (const int stream : std::array{STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status {};
    if (fstat(stream, &status) != 0) continue;
    const bool same = status.st_dev == file.st_dev && status.st_ino == file.st_ino;
    if (same) return fcntl(stream, F_DUPFD_CLOEXEC, 0);
  }
  return -1;
}

std::string own_path(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// Returns a name next to the target that no other process of this machine uses. It is short,
/// because the target may have the maximum length of a name.
std::string name_beside(const std::string& target, int attempt) {
  return folder_of(target) /
         (".espalier-" + std::to_string(getpid()) + "-" + std::to_string(attempt));
}

/// Calls f with new names until the name is free. Returns the name, or an empty text with errno set
/// if f fails.
template <class F>
std::string with_free_name(const std::string& target, F f) {
  constexpr int attempts = 100'000;
  for (int k = 0; k < attempts; ++k) {
    std::string name = name_beside(target, k);
    if (f(name)) return name;
    if (errno != EEXIST) break;
  }
  return {};
}

}  // namespace

PendingFile::PendingFile(const std::string& path, Folders folders, Kept kept) : target_(path) {
  try {
    if (folders == Folders::made) make_folders();
    open(path, kept);
  } catch (...) {
    withdraw();
    throw;
  }
}

PendingFile::~PendingFile() {
  withdraw();
  if (descriptor_ >= 0) close(descriptor_);
}

/// Removes all traces of the file from the file system, unless it was published for good.
void PendingFile::withdraw() {
  const bool is_there = is_published_ && is_new_;
  if (named_.empty() && folders_.empty() && !is_there) return;
  const std::lock_guard lock(leftovers().mutex);
  if (is_there) unlink(target_.c_str());
  if (!named_.empty()) {
    unlink(named_.c_str());
    leftovers().files.erase(named_);
  }
  for (const fs::path& folder : folders_) {
    rmdir(folder.c_str());
    leftovers().folders.erase(folder);
  }
}

void PendingFile::make_folders() {
  std::error_code error;
  const fs::path whole = fs::absolute(folder_of(target_), error).lexically_normal();
  const std::lock_guard lock(leftovers().mutex);
  for (fs::path folder = whole; !fs::exists(folder, error); folder = folder.parent_path()) {
    if (folder.has_filename()) folders_.push_back(folder);
  }
  const auto made = std::find_if(folders_.rbegin(), folders_.rend(), [](const fs::path& folder) {
    return mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST;
  });
  const int failed = made == folders_.rend() ? 0 : errno;
  folders_.erase(folders_.begin(), made.base());
  for (const fs::path& folder : folders_) leftovers().folders.insert(folder);
  if (failed != 0) {
    throw InputError(whole.string() + ": the folder cannot be made (" +
                     std::generic_category().message(failed) + ")");
  }
}

void PendingFile::open(const std::string& path, Kept kept) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT || fs::path(path).filename().empty()) fail(path, reason());
    is_new_ = true;
  } else if (stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, reason());
    std::error_code error;
    throw InputError(path + ": this is a symbolic link to " +
                     fs::read_symlink(path, error).string() +
                     ", which does not exist; remove the link, or create its target");
  } else if (S_ISDIR(status.st_mode)) {
    fail(path, std::generic_category().message(EISDIR));
  } else if (const int stream = stream_that_is(status); stream >= 0 || !S_ISREG(status.st_mode)) {
    is_direct_ = true;
    descriptor_ = stream >= 0 ? stream : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (access(path.c_str(), W_OK) == 0) {
    std::error_code error;
    target_ = fs::canonical(path, error).string();
    if (error) fail(path, error.message());
  } else {
    fail(path, reason());
  }
  if (!is_direct_) create(kept);
  if (descriptor_ < 0) fail(path, reason());
  if (!is_direct_ && !is_new_) take_over_permissions();
}

/// Sets the descriptor, or errno on failure.
void PendingFile::create(Kept kept) {
  const std::string folder = folder_of(target_);
  const bool can_get_a_name = access("/proc/self/fd", X_OK) == 0;
  if (kept == Kept::without_name && can_get_a_name) {
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    const bool is_unknown = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
    if (descriptor_ >= 0 || !is_unknown) return;
  }
  const std::lock_guard lock(leftovers().mutex);
  named_ = with_free_name(target_, [this](const std::string& name) {
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return descriptor_ >= 0;
  });
  if (!named_.empty()) leftovers().files.insert(named_);
}

/// Copies owner, group and permissions of the existing file. If the group cannot be set, the new
/// file's group gets no permissions that other users do not have, too.
void PendingFile::take_over_permissions() {
  struct stat old {};
  struct stat now {};
  if (stat(target_.c_str(), &old) != 0 || fstat(descriptor_, &now) != 0) return;
  mode_t mode = old.st_mode & 0777;
  const bool same_group = now.st_gid == old.st_gid || fchown(descriptor_, -1, old.st_gid) == 0;
  if (!same_group) mode &= ~static_cast<mode_t>(S_IRWXG) | ((mode & S_IRWXO) << 3);
  [[maybe_unused]] const int owner =
      now.st_uid == old.st_uid ? 0 : fchown(descriptor_, old.st_uid, -1);
  fchmod(descriptor_, mode);
}

int PendingFile::synchronize() {
  if (is_direct_) return 0;
  if (fsync(descriptor_) != 0) return errno;
  if (!named_.empty()) close(std::exchange(descriptor_, -1));
  return 0;
}

bool PendingFile::link_to(const std::string& name) const {
  return linkat(AT_FDCWD, own_path(descriptor_).c_str(), AT_FDCWD, name.c_str(),
                AT_SYMLINK_FOLLOW) == 0;
}

/// Returns false with errno set if the file cannot get its name.
bool PendingFile::publish() {
  if (is_direct_) return true;
  if (named_.empty()) {
    if (link_to(target_)) return is_published_ = true;
    if (errno != EEXIST) return false;
    named_ = with_free_name(target_, [this](const std::string& name) { return link_to(name); });
    if (named_.empty()) return false;
    leftovers().files.insert(named_);
    is_new_ = false;
  }
  if (std::rename(named_.c_str(), target_.c_str()) != 0) return false;
  leftovers().files.erase(std::exchange(named_, {}));
  return is_published_ = true;
}

const PendingFile* PendingFile::publish(const std::vector<PendingFile*>& files) {
  const std::lock_guard lock(leftovers().mutex);
  for (PendingFile* const file : files) {
    if (!file->publish()) return file;
  }
  for (PendingFile* const file : files) {
    file->is_new_ = false;
    for (const fs::path& folder : file->folders_) leftovers().folders.erase(folder);
    file->folders_.clear();
  }
  return nullptr;
}

void remove_pending_files(std::chrono::milliseconds at_most) {
  Leftovers& all = leftovers();
  if (!all.mutex.try_lock_for(at_most)) return;
  for (const std::string& file : all.files) unlink(file.c_str());
  std::for_each(all.folders.rbegin(), all.folders.rend(),
                [](const std::string& folder) { rmdir(folder.c_str()); });
}

}  // namespace espalier::internal
