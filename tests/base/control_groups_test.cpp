// SPDX-License-Identifier: BSD-3-Clause

#include "base/control_groups.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

constexpr Count unlimited = std::numeric_limits<Count>::max();

/// Tests with a folder that replaces /sys/fs/cgroup.
class ControlGroupsTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder_.path(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content << '\n';
  }
  /// Makes a control group, version 2.
  void group(const std::string& path, const std::string& max, const std::string& high,
             Count current, Count files = 0) {
    write(path + "/memory.max", max);
    write(path + "/memory.high", high);
    write(path + "/memory.current", std::to_string(current));
    write(path + "/memory.stat",
          "anon 5\nfile 9000\ninactive_file " + std::to_string(files) + "\nactive_file 7\nslab 3");
  }
  /// Makes a control group, version 1.
  void old_group(const std::string& path, const std::string& limit, Count usage, Count files) {
    write(path + "/memory.limit_in_bytes", limit);
    write(path + "/memory.usage_in_bytes", std::to_string(usage));
    write(path + "/memory.stat", "inactive_file 1\ntotal_inactive_file " + std::to_string(files) +
                                     "\ntotal_active_file 7");
  }
  Count available(const std::string& membership) {
    write("membership", membership);
    return ControlGroups(folder_.path(""), folder_.path("membership")).available();
  }

 private:
  support::TemporaryFolder folder_;
};

TEST_F(ControlGroupsTest, WithoutLimitsLeaveAll) {
  EXPECT_EQ(ControlGroups("/nowhere", "/nowhere/cgroup").available(), unlimited);
  group("a", "max", "max", 500);
  EXPECT_EQ(available("0::/a"), unlimited);
  old_group("memory/a", "9223372036854771712", 500, 0);
  EXPECT_EQ(available("4:memory:/a"), unlimited);
  EXPECT_EQ(available("nonsense"), unlimited);
  EXPECT_EQ(available("0::no/slash"), unlimited);
}

TEST_F(ControlGroupsTest, LeaveTheirLimitLessWhatIsUsedButForFiles) {
  group("a/b", "1000", "max", 500, 100);
  EXPECT_EQ(available("0::/a/b"), 1000 - (500 - 107));
  group("a/b", "1000", "800", 500, 0);
  EXPECT_EQ(available("0::/a/b"), 800 - (500 - 7));
  group("a/b", "1000", "max", 5000, 0);
  EXPECT_EQ(available("0::/a/b"), 0);
}

TEST_F(ControlGroupsTest, AreLimitedByThoseAroundThem) {
  group("a/b/c", "max", "max", 10);
  group("a/b", "5000", "max", 1007);
  group("a", "3000", "max", 2007);
  EXPECT_EQ(available("0::/a/b/c"), 1000);
  group("a/b/c", "100", "max", 17);
  EXPECT_EQ(available("0::/a/b/c"), 90);
}

TEST_F(ControlGroupsTest, OfTheFirstVersionCountTheirDescendants) {
  old_group("memory/slurm/job", "4000", 3000, 500);
  old_group("memory/slurm", "9223372036854771712", 3000, 0);
  EXPECT_EQ(available("9:cpuset:/other\n4:cpu,memory:/slurm/job\n0::/"), 4000 - (3000 - 507));
  EXPECT_EQ(available("4:memoryless:/slurm/job"), unlimited);
}

TEST_F(ControlGroupsTest, AreFoundWhereAContainerSeesItsOwnAsTheRoot) {
  group(".", "1000", "max", 107);
  EXPECT_EQ(available("0::/docker/0123"), 900);
  EXPECT_EQ(available("0::/../outside"), 900);
  EXPECT_EQ(available("0::/"), 900);
}

TEST_F(ControlGroupsTest, OfTheSecondVersionMayBeMountedBesideTheFirst) {
  group("unified/a", "1000", "max", 107);
  EXPECT_EQ(available("1:name=systemd:/\n0::/a"), 900);
}

}  // namespace
}  // namespace espalier::internal
