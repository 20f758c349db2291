// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/pending_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::read_file;
using Folders = PendingFile::Folders;
using FileNames = std::vector<std::string>;

/// Tests both ways to keep files until they are published.
class PendingFileTest : public testing::TestWithParam<PendingFile::Kept> {
 protected:
  PendingFile made(const std::string& name, Folders folders = Folders::expected) {
    return {folder.path(name), folders, GetParam()};
  }

  static void fill(PendingFile& file, std::string_view text) {
    ASSERT_EQ(write(file.descriptor(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  static void fill_or_exit(int descriptor, std::string_view text) {
    if (write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(2);
  }

  void publish(const std::string& name, std::string_view text) {
    PendingFile file = made(name);
    fill(file, text);
    ASSERT_EQ(file.synchronize(), 0);
    EXPECT_EQ(PendingFile::publish({&file}), nullptr);
  }

  mode_t mode(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(stat(folder.path(name).c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  support::TemporaryFolder folder;
};

TEST_P(PendingFileTest, IsThereOnceItIsPublished) {
  {
    PendingFile file = made("out");
    fill(file, "text");
    EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
    EXPECT_EQ(PendingFile::publish({&file}), nullptr);
  }
  EXPECT_EQ(folder.file_names(), FileNames{"out"});
  EXPECT_EQ(read_file(folder.path("out")), "text");
}

/// Returns whether the file system of temporary files supports files without a name.
bool may_be_without_name() {
  const support::TemporaryFolder folder;
  const int file = open(folder.path("").c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

TEST_P(PendingFileTest, HasNoNameUntilThenUnlessItNeedsOne) {
  {
    const PendingFile file = made("out");
    const bool named = GetParam() == PendingFile::Kept::with_name || !may_be_without_name();
    EXPECT_EQ(folder.file_names().size(), named ? 1u : 0u);
  }
  EXPECT_EQ(folder.file_names(), FileNames{});
}

TEST_P(PendingFileTest, HasTheUsualPermissions) {
  const mode_t mask = umask(0027);
  publish("out", "x");
  umask(mask);
  EXPECT_EQ(mode("out"), 0640u);
}

TEST_P(PendingFileTest, KeepsThePermissionsOfWhatItReplaces) {
  folder.write("out", "before");
  for (const mode_t old : {0600u, 0664u, 0755u}) {
    ASSERT_EQ(chmod(folder.path("out").c_str(), old), 0);
    publish("out", "after");
    EXPECT_EQ(mode("out"), old);
  }
  EXPECT_EQ(folder.file_names(), FileNames{"out"});
}

TEST_P(PendingFileTest, FollowsALink) {
  folder.write("real", "before");
  std::filesystem::create_symlink("real", folder.path("link"));
  publish("link", "after");

  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(read_file(folder.path("real")), "after");
  EXPECT_EQ(folder.file_names(), (FileNames{"link", "real"}));
}

TEST_P(PendingFileTest, RefusesALinkToNothing) {
  std::filesystem::create_symlink("nothing", folder.path("link"));
  expect_error<InputError>([&] { made("link"); }, {"/link", "link to nothing", "remove"});
  EXPECT_EQ(folder.file_names(), FileNames{"link"});
}

TEST_P(PendingFileTest, MayHaveTheLongestName) {
  const std::string longest(NAME_MAX, 'n');
  publish(longest, "once");
  publish(longest, "twice");
  EXPECT_EQ(read_file(folder.path(longest)), "twice");
  EXPECT_EQ(folder.file_names(), FileNames{longest});
  expect_error<InputError>([&] { made(longest + "n"); }, {"too long"});
}

TEST_P(PendingFileTest, FoldersThatItMadeGoWithIt) {
  {
    const PendingFile file = made("a/b/out", Folders::made);
    EXPECT_TRUE(std::filesystem::exists(folder.path("a/b")));
  }
  EXPECT_EQ(folder.file_names(), FileNames{});
  {
    PendingFile file = made("a/b/out", Folders::made);
    EXPECT_EQ(PendingFile::publish({&file}), nullptr);
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path("a/b/out")));
}

TEST_P(PendingFileTest, FoldersThatCannotBeMadeLeaveNone) {
  expect_error<InputError>(
      [&] { made("a/" + std::string(NAME_MAX + 1, 'n') + "/out", Folders::made); }, {"folder"});
  EXPECT_EQ(folder.file_names(), FileNames{});
}

TEST_P(PendingFileTest, AppearsWithOthersOrNot) {
  {
    PendingFile first = made("a/first", Folders::made);
    PendingFile second = made("second");
    std::filesystem::create_directory(folder.path("second"));
    EXPECT_EQ(PendingFile::publish({&first, &second}), &second);
  }
  EXPECT_EQ(folder.file_names(), FileNames{"second"});
}

TEST_P(PendingFileTest, WhoEndsTheProcessRemovesAll) {
  const pid_t child = fork();
  if (child == 0) {
    const PendingFile first = made("a/first", Folders::made);
    const PendingFile second = made("second");
    remove_pending_files(std::chrono::seconds(1));
    _exit(folder.file_names().empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.file_names(), FileNames{});
}

TEST_P(PendingFileTest, GoesOnWritingWhereStandardOutputDoes) {
  const pid_t child = fork();
  if (child == 0) {
    const int stream =
        open(folder.path("out").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(stream, STDOUT_FILENO);
    fill_or_exit(STDOUT_FILENO, "before, ");
    PendingFile file = made("out");
    fill_or_exit(file.descriptor(), "after");
    _exit(PendingFile::publish({&file}) == nullptr ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder.path("out")), "before, after");
}

INSTANTIATE_TEST_SUITE_P(Both, PendingFileTest,
                         testing::Values(PendingFile::Kept::without_name,
                                         PendingFile::Kept::with_name),
                         [](const auto& info) {
                           const bool named = info.param == PendingFile::Kept::with_name;
                           return named ? "WithName" : "WithoutName";
                         });

}  // namespace
}  // namespace espalier::internal
