// SPDX-License-Identifier: BSD-3-Clause
#include "launch/scratch_folder.hpp"

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace fs = std::filesystem;

namespace {

std::mutex listing;  ///< guards `folders`
std::set<const ScratchFolder*> folders;

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string name = parent / "espalier-run-XXXXXX";
  if (error || mkdtemp(name.data()) == nullptr) {
    throw RuntimeFailure("no folder can be created in " + parent.string() +
                         "; set TMPDIR to a folder with free space");
  }
  path_ = name;
  const std::lock_guard lock(listing);
  folders.insert(this);
}

ScratchFolder::~ScratchFolder() {
  remove();
  const std::lock_guard lock(listing);
  folders.erase(this);
}

void ScratchFolder::remove_all() {
  const std::lock_guard lock(listing);
  for (const ScratchFolder* const folder : folders) folder->remove();
}

void ScratchFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace espalier::internal
