// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <limits>
#include <string>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::read_file;
using Names = std::vector<std::string>;

class OutputFileTest : public testing::Test {
 protected:
  support::TemporaryFolder folder;
};

/// No file of this process can grow beyond some bytes, as if the disk were full.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{bytes, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit limit_;
};

TEST_F(OutputFileTest, AppearsWhenItIsComplete) {
  OutputFile file(folder.path("out"));
  file.text("n ");
  file.integer(std::numeric_limits<Count>::min());
  file.text(" x ");
  file.real(0.1);
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
  file.commit();

  EXPECT_EQ(folder.file_names(), Names{"out"});
  EXPECT_EQ(read_file(folder.path("out")), "n -9223372036854775808 x 0.1");
}

TEST_F(OutputFileTest, HasTheUsualPermissions) {
  const mode_t mask = umask(0022);
  OutputFile file(folder.path("out"));
  file.commit();
  umask(mask);

  struct stat status;
  ASSERT_EQ(stat(folder.path("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(OutputFileTest, LeavesNothingAndTouchesNothingUnlessCommitted) {
  folder.write("out", "before");
  {
    OutputFile file(folder.path("out"));
    file.text("after");
    EXPECT_EQ(folder.file_names().size(), 2u);
  }
  EXPECT_EQ(folder.file_names(), Names{"out"});
  EXPECT_EQ(read_file(folder.path("out")), "before");
}

TEST_F(OutputFileTest, ReplacesAFileAndWhatALinkPointsTo) {
  folder.write("real", "before");
  std::filesystem::create_symlink("real", folder.path("link"));
  OutputFile file(folder.path("link"));
  file.text("after");
  file.commit();

  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(read_file(folder.path("real")), "after");
  EXPECT_EQ(folder.file_names(), (Names{"link", "real"}));
}

TEST_F(OutputFileTest, WritesMoreThanItsBuffer) {
  const std::string part(100'000, 'x');
  OutputFile file(folder.path("out"));
  for (int k = 0; k < 10; ++k) file.text(part);
  file.commit();

  EXPECT_EQ(read_file(folder.path("out")).size(), 1'000'000u);
}

TEST_F(OutputFileTest, WritesToADeviceWithoutReplacingIt) {
  OutputFile file("/dev/null");
  file.text("gone");
  file.commit();

  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, RefusesPathsWhereNoFileCanBe) {
  expect_error<InputError>([&] { OutputFile(folder.path("no/out")); },
                           {"no/out", "cannot be created"});
  expect_error<InputError>([&] { OutputFile(folder.path("")); }, {"cannot be created"});
  EXPECT_EQ(folder.file_names(), Names{});
}

TEST_F(OutputFileTest, AFullDiskIsAFailureThatLeavesNothing) {
  for (const char* name : {"out", "out.gz"}) {
    SCOPED_TRACE(name);
    expect_error<RuntimeFailure>(
        [&] {
          const SmallDisk disk(1000);
          OutputFile file(folder.path(name));
          for (int k = 0; k < 200'000; ++k) file.integer(k * 7919 % 10007);
          file.commit();
        },
        {name, "cannot be written", "large"});
    EXPECT_EQ(folder.file_names(), Names{});
  }
}

TEST_F(OutputFileTest, AFullDeviceIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  expect_error<RuntimeFailure>(
      [] {
        OutputFile file("/dev/full");
        file.text("x");
        file.commit();
      },
      {"/dev/full", "No space left"});
}

}  // namespace
}  // namespace espalier::internal
