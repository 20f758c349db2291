// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

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

/// Limits the size of files of this process, as if the disk were full.
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

TEST_F(OutputFileTest, LeavesNothingAndTouchesNothingUnlessCommitted) {
  folder.write("out", "before");
  {
    OutputFile file(folder.path("out"));
    file.text("after");
    file.finish();
    EXPECT_EQ(read_file(folder.path("out")), "before");
  }
  EXPECT_EQ(folder.file_names(), Names{"out"});
  EXPECT_EQ(read_file(folder.path("out")), "before");
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

TEST_F(OutputFileTest, SeveralAppearTogether) {
  folder.write("b", "before");
  {
    Outputs outputs;
    for (const char* name : {"a", "b", "new/c"}) {
      outputs.add(folder.path(name), OutputFile::Folders::made).text(name);
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
    outputs.commit();
  }
  EXPECT_EQ(read_file(folder.path("a")), "a");
  EXPECT_EQ(read_file(folder.path("b")), "b");
  EXPECT_EQ(read_file(folder.path("new/c")), "new/c");
}

TEST_F(OutputFileTest, WhereOneCannotAppearNoneDoes) {
  {
    Outputs outputs;
    for (const char* name : {"new/a", "new/b", "c"}) {
      outputs.add(folder.path(name), OutputFile::Folders::made).text(name);
    }
    std::filesystem::create_directory(folder.path("c"));
    expect_error<RuntimeFailure>([&] { outputs.commit(); }, {"/c", "cannot be written"});
  }
  EXPECT_EQ(folder.file_names(), Names{"c"});
}

TEST_F(OutputFileTest, MoreMayAppearTogetherThanOneProcessCanOpen) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit few{80, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  constexpr std::size_t count = 90;
  {
    Outputs outputs;
    for (std::size_t k = 0; k < count; ++k) {
      OutputFile& file = outputs.add(folder.path(std::to_string(k)));
      file.text("x");
      file.finish();
    }
    outputs.commit();
  }
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(folder.file_names().size(), count);
}

}  // namespace
}  // namespace espalier::internal
