// SPDX-License-Identifier: BSD-3-Clause

#include "base/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

TEST(Bytes, AreReadableInTheLargestUnitBelow) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1), "1 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1024), "1.0 KiB");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(Count{1} << 20), "1.0 MiB");
  EXPECT_EQ(readable_bytes(Count{5} << 29), "2.5 GiB");
  EXPECT_EQ(readable_bytes(Count{3} << 40), "3.0 TiB");
  EXPECT_EQ(readable_bytes(Count{7} << 50), "7.0 PiB");
  EXPECT_EQ(readable_bytes(Count{1} << 60), "1024.0 PiB");
}

TEST(Bytes, AreParsedWithUnitsOfPowersOf1024) {
  const std::vector<std::pair<const char*, Count>> cases{
      {"0", 0},
      {"1500000", 1500000},
      {"17B", 17},
      {"1K", 1024},
      {"1k", 1024},
      {"1kB", 1024},
      {"1KiB", 1024},
      {"500M", Count{500} << 20},
      {"2.5G", Count{5} << 29},
      {"8GiB", Count{8} << 30},
      {"1.5gb", Count{3} << 29},
      {"1T", Count{1} << 40},
      {"0.25K", 256},
      {"1e3", 1000},
  };
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_bytes(text), bytes) << text;
}

TEST(Bytes, OfTextThatIsNoNumberOfBytesAreRefused) {
  for (const char* text : {"",    " ",    "M",    "-1",       "-0.5G", "1 M",   " 1M",  "1M ",
                           "1X",  "1KK",  "1KBB", "1iB",      "1MiX",  "1,5G",  "0x10", "nan",
                           "inf", "infM", "1e30", "9000000T", "1e400", "12.5.1"}) {
    support::expect_error<UsageError>([&] { parse_bytes(text); },
                                      {std::string("'") + text + "'", "500M"});
  }
}

TEST(Bytes, ParsedFromWhatIsReadableComeBack) {
  for (const Count bytes : {Count{3} << 20, Count{9} << 30, Count{11} << 40}) {
    std::string text = readable_bytes(bytes);
    text.erase(text.find(' '), 1);
    EXPECT_EQ(parse_bytes(text), bytes);
  }
}

TEST(Bytes, OfThePeakGrowWithMemoryThatIsTouched) {
  const Count before = peak_resident_bytes();
  EXPECT_GT(before, Count{1} << 20);
  const std::size_t more = static_cast<std::size_t>(before) + (std::size_t{32} << 20);
  const std::vector<char> touched(more, 1);
  EXPECT_GE(peak_resident_bytes(), static_cast<Count>(touched.size()));
}

}  // namespace
namespace {

std::uintptr_t address(const Buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data());
}

TEST(Buffer, OfNothingHasNoMemory) {
  for (const Buffer& buffer : {Buffer(), Buffer(0)}) {
    EXPECT_EQ(buffer.data(), nullptr);
    EXPECT_EQ(buffer.size(), 0);
    EXPECT_TRUE(buffer.span().empty());
  }
}

TEST(Buffer, IsAlignedToCacheLinesWhenSmall) {
  for (const Count entries : {1, 2, 7, 8, 9, 1000}) {
    const Buffer buffer(entries);
    EXPECT_EQ(address(buffer) % 64, 0u) << entries;
    EXPECT_EQ(buffer.size(), entries);
    for (double& value : buffer.span()) value = 1;
  }
}

TEST(Buffer, IsAlignedToHugePagesWhenLarge) {
  constexpr Count huge_page = (Count{2} << 20) / Count{sizeof(double)};
  for (const Count entries : {huge_page, huge_page + 1, 3 * huge_page}) {
    const Buffer buffer(entries);
    EXPECT_EQ(address(buffer) % (std::uintptr_t{2} << 20), 0u) << entries;
    buffer.span().front() = 1;
    buffer.span().back() = 2;
  }
}

TEST(Buffer, IsPopulatedAndKeepsWhatItHolds) {
  constexpr Count entries = Count{12} << 20;
  const Buffer buffer(entries);
  constexpr std::size_t page = 4096;
  if (madvise(buffer.data(), page, MADV_POPULATE_WRITE) != 0) {
    GTEST_SKIP() << "this system gives memory only when it is touched";
  }
  const std::span<double> part = buffer.span().subspan(3, entries - 7);
  part.front() = 1;
  part.back() = 2;
  const Count before = resident_bytes();
  populate(part, 3);
  EXPECT_GT(resident_bytes() - before, 7 * entries);
  EXPECT_EQ(part.front(), 1);
  EXPECT_EQ(part.back(), 2);
  populate({}, 3);
}

/// Returns the number of page faults of this process.
long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(HugePages, AreTouchedInFewerSteps) {
  std::string mode;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), mode);
  if (mode.find("[madvise]") == std::string::npos) GTEST_SKIP() << "the system has no choice";
  constexpr std::size_t bytes = std::size_t{32} << 20;
  std::vector<char> array;
  array.reserve(bytes);
  advise_huge_pages(array.data() + 5, bytes - 5);
  const long before = page_faults();
  array.resize(bytes, 'x');
  EXPECT_LT(page_faults() - before, 2000) << "with small pages there are over 8000";
  advise_huge_pages(array.data(), 100);
  EXPECT_EQ(std::ranges::count(array, 'x'), bytes);
}

TEST(Buffer, MovesItsMemory) {
  Buffer first(10);
  double* const memory = first.data();
  const Buffer second(std::move(first));
  EXPECT_EQ(second.data(), memory);
  EXPECT_EQ(second.size(), 10);
}

/// Requests more bytes than a process can address. In some cases the number of bytes exceeds 2^64.
TEST(Buffer, OfAbsurdSizeIsRefused) {
  for (const Count entries : {Count{1} << 50, Count{1} << 58}) {
    support::expect_error<MemoryError>([&] { Buffer buffer(entries); }, {"cannot allocate", "iB"});
  }
  for (const Count entries : {Count{1} << 61, Count{3} << 60, std::numeric_limits<Count>::max()}) {
    support::expect_error<MemoryError>([&] { Buffer buffer(entries); }, {"cannot allocate"});
  }
}

/// Limits the process to one GiB above its current use, while the object lives.
class OneGibibyteLeft {
 public:
  OneGibibyteLeft(__rlimit_resource resource, Count used) : resource_(resource) {
    getrlimit(resource, &before_);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(used + (Count{1} << 30));
    setrlimit(resource, &limit);
  }
  ~OneGibibyteLeft() { setrlimit(resource_, &before_); }
  OneGibibyteLeft(const OneGibibyteLeft&) = delete;
  OneGibibyteLeft& operator=(const OneGibibyteLeft&) = delete;

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

/// Returns a number of /proc/self/status in bytes.
Count status(const std::string& wanted) {
  std::ifstream file("/proc/self/status");
  for (std::string key; file >> key;) {
    if (Count kibibytes = 0; key == wanted && file >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

TEST(AvailableMemory, IsWhatLimitsOfTheProcessLeave) {
  const Count all = available_memory(std::numeric_limits<Count>::max()).bytes;
  for (const auto& [resource, key, name] :
       {std::tuple{RLIMIT_AS, "VmSize:", "ulimit -v"}, {RLIMIT_DATA, "VmData:", "ulimit -d"}}) {
    const OneGibibyteLeft limited(resource, status(key));
    const AvailableMemory left = available_memory(0);
    EXPECT_LE(left.bytes, std::min(all, Count{1} << 30)) << name;
    if (all < Count{1} << 30) continue;
    EXPECT_GE(left.bytes, Count{1000} << 20) << name;
    EXPECT_NE(std::string(left.message).find(name), std::string::npos) << left.message;
  }
}

TEST(ExpectAvailable, RefusesMoreThanALimitLeaves) {
  const OneGibibyteLeft limited(RLIMIT_AS, status("VmSize:"));
  EXPECT_NO_THROW(expect_available("this", Count{1} << 20));
  support::expect_error<MemoryError>([] { expect_available("this", Count{3} << 30); },
                                     {"this needs about 3.0 GiB more", "ulimit -v"});
}

TEST(AvailableMemory, IsToldWithTheResidentSet) {
  const Count before = resident_bytes();
  const Buffer buffer(Count{8} << 20);
  std::fill_n(buffer.data(), buffer.size(), 1.0);
  EXPECT_GE(resident_bytes(), before + (Count{60} << 20));
  EXPECT_LE(resident_bytes(), status("VmHWM:") + (Count{1} << 20));
}

}  // namespace
}  // namespace espalier::internal
