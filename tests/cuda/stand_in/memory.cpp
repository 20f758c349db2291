// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stand_in/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "cuda/stand_in/misuse.hpp"

namespace stand_in {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t space = std::size_t{1} << 42;  ///< bytes of each range of addresses
constexpr std::size_t alignment = 256;               ///< alignment of CUDA's allocations
constexpr int fresh = 0xff;                          ///< gives NaN as a double
constexpr int around = 0xa5;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::string hex(const void* address) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%p", address);
  return text.data();
}

struct Piece {
  char* begin = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  long number = 0;

  std::string describe() const {
    return "piece " + std::to_string(number) + " of " + std::to_string(bytes) + " bytes at " +
           hex(begin);
  }
};

/// Pieces by the address of their first byte.
using Pieces = std::map<const char*, Piece>;

const Piece* piece_around(const Pieces& pieces, const void* address) {
  const auto after = pieces.upper_bound(static_cast<const char*>(address));
  return after == pieces.begin() ? nullptr : &std::prev(after)->second;
}

char* reserve() {
  void* const range =
      mmap(nullptr, space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) misuse("the addresses of devices cannot be reserved");
  return static_cast<char*>(range);
}

/// A range of addresses. Each page is used once.
class Range {
 public:
  Range() : begin_(reserve()), next_(begin_ + page) {}

  bool has(const void* address) const { return address >= begin_ && address < begin_ + space; }
  std::ptrdiff_t offset(const void* address) const {
    return static_cast<const char*>(address) - begin_;
  }
  char* at(std::ptrdiff_t offset) const { return begin_ + offset; }
  /// Takes pages for `bytes` bytes, aligned to the end of the last page, and a page behind them.
  char* take(std::size_t bytes) {
    const std::size_t pages = rounded_up(bytes, page);
    char* const end = next_ + pages;
    next_ = end + page;
    if (!has(next_)) misuse("all addresses are used");
    return end - rounded_up(bytes, alignment);
  }

 private:
  char* begin_;
  char* next_;
};

struct Memory {
  std::mutex mutex;
  Range seen;     ///< device addresses, which are not accessible
  Range reached;  ///< the same memory at the addresses of the stand-in
  Range host;     ///< host memory that CUDA allocates
  Pieces on_device;
  Pieces pinned;
  std::set<const void*> allocated_pinned;
  std::set<std::pair<int, int>> peers;
  long pieces = 0;

  Memory() { watch(); }
  static void watch();
};

/// Never destroyed, because StarPU's threads may outlive main().
Memory& memory() {
  static auto* const made = new Memory;
  return *made;
}

struct Pages {
  char* begin;
  char* end;
  explicit Pages(char* piece, std::size_t bytes)
      : begin(piece - reinterpret_cast<std::uintptr_t>(piece) % page),
        end(piece + rounded_up(bytes, alignment)) {}
  std::size_t bytes() const { return static_cast<std::size_t>(end - begin); }
};

void open(char* piece, std::size_t bytes) {
  const Pages pages(piece, bytes);
  if (mprotect(pages.begin, pages.bytes(), PROT_READ | PROT_WRITE) != 0) {
    misuse("the host has no memory left for devices");
  }
  std::memset(pages.begin, around, static_cast<std::size_t>(piece - pages.begin));
  std::memset(piece, fresh, bytes);
  std::memset(piece + bytes, around, static_cast<std::size_t>(pages.end - piece) - bytes);
}

void close(char* piece, std::size_t bytes, const Piece& known) {
  const Pages pages(piece, bytes);
  const auto is_damaged = [](const char* begin, const char* end) {
    return std::any_of(begin, end, [](char c) { return c != static_cast<char>(around); });
  };
  if (is_damaged(pages.begin, piece)) misuse("something was written before " + known.describe());
  if (is_damaged(piece + bytes, pages.end)) {
    misuse("something was written behind " + known.describe());
  }
  madvise(pages.begin, pages.bytes(), MADV_DONTNEED);
  mprotect(pages.begin, pages.bytes(), PROT_NONE);
}

/// Reports the piece at an inaccessible address. The faulting thread may hold the lock of the
/// table.
void on_fault(int signal, siginfo_t* info, void* /*context*/) {
  Memory& m = memory();
  const void* address = info->si_addr;
  const bool forbidden = m.seen.has(address) || m.reached.has(address) || m.host.has(address);
  if (!forbidden) {
    std::signal(signal, SIG_DFL);
    return;  // the access is repeated, and ends the process
  }
  std::string what = "work for a device touches ";
  const Pieces* pieces = &m.on_device;
  if (m.seen.has(address)) {
    what = "the host touches memory of a device, ";
  } else if (m.host.has(address)) {
    pieces = &m.pinned;
    what = "something touches memory that is not pinned, or no longer pinned, ";
  } else {
    address = m.seen.at(m.reached.offset(address));
  }
  what += hex(address);
  if (m.mutex.try_lock()) {
    if (const Piece* const piece = piece_around(*pieces, address)) {
      what += ", " + std::to_string(static_cast<const char*>(address) - piece->begin) +
              " bytes after the begin of " + piece->describe();
    }
  }
  misuse(what);
}

void Memory::watch() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

/// Returns the piece that contains all of the bytes. The caller holds the lock of the table.
const Piece& whole(const Pieces& pieces, const void* address, std::size_t bytes, const char* what) {
  const Piece* const piece = piece_around(pieces, address);
  const auto* const begin = static_cast<const char*>(address);
  if (piece == nullptr || begin >= piece->begin + std::max(piece->bytes, std::size_t{1})) {
    misuse(std::string(what) + " at " + hex(address) + " is in no memory that is allocated" +
           (piece ? "; before it is " + piece->describe() : ""));
  }
  const auto left = static_cast<std::size_t>(piece->begin + piece->bytes - begin);
  if (bytes > left) {
    misuse(std::string(what) + " at " + hex(address) + " has " + std::to_string(bytes) +
           " bytes, but only " + std::to_string(left) + " are left of " + piece->describe());
  }
  return *piece;
}

constexpr int any_device = -1;

char* find(const void* address, std::size_t bytes, int device, const char* what) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  if (!m.seen.has(address)) {
    const Piece* const piece = piece_around(m.pinned, address);
    const auto* const begin = static_cast<const char*>(address);
    if (piece == nullptr || begin + bytes > piece->begin + piece->bytes) {
      misuse(std::string(what) + " at " + hex(address) +
             " is memory of the host that is not pinned");
    }
    return const_cast<char*>(begin);
  }
  const Piece& piece = whole(m.on_device, address, bytes, what);
  const bool reached =
      device == any_device || piece.device == device || m.peers.count({device, piece.device}) != 0;
  if (!reached) {
    misuse(std::string(what) + " is memory of device " + std::to_string(piece.device) +
           ", which this one may not reach: " + piece.describe());
  }
  return m.reached.at(m.seen.offset(address));
}

}  // namespace

void* allocate_on_device(int device, std::size_t bytes) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  char* const there = m.seen.take(bytes);
  open(m.reached.at(m.seen.offset(there)), bytes);
  m.on_device[there] = {there, bytes, device, m.pieces++};
  return there;
}

void* allocate_pinned(std::size_t bytes) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  char* const here = m.host.take(bytes);
  open(here, bytes);
  m.pinned[here] = {here, bytes, any_device, m.pieces++};
  m.allocated_pinned.insert(here);
  return here;
}

bool free_on_device(void* address, Freed& freed) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  const auto found = m.on_device.find(static_cast<char*>(address));
  if (found == m.on_device.end()) return false;
  const Piece& piece = found->second;
  freed = {piece.device, piece.bytes};
  close(m.reached.at(m.seen.offset(address)), piece.bytes, piece);
  m.on_device.erase(found);
  return true;
}

bool free_pinned(void* address) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  if (m.allocated_pinned.erase(address) == 0) return false;
  const auto found = m.pinned.find(static_cast<char*>(address));
  close(found->second.begin, found->second.bytes, found->second);
  m.pinned.erase(found);
  return true;
}

bool pin(void* address, std::size_t bytes) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  auto* const begin = static_cast<char*>(address);
  const Piece* const before = piece_around(m.pinned, begin + bytes - 1);
  if (before != nullptr && before->begin + before->bytes > begin) return false;
  m.pinned[begin] = {begin, bytes, any_device, m.pieces++};
  return true;
}

bool unpin(void* address) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  return m.allocated_pinned.count(address) == 0 && m.pinned.erase(static_cast<char*>(address)) != 0;
}

Kind kind_of(const void* address) {
  if (memory().seen.has(address)) return Kind::device;
  return is_pinned(address, 1) ? Kind::pinned : Kind::pageable;
}

bool is_pinned(const void* address, std::size_t bytes) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  const Piece* const piece = piece_around(m.pinned, address);
  return piece != nullptr &&
         static_cast<const char*>(address) + bytes <= piece->begin + piece->bytes;
}

int device_of(const void* address) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  return whole(m.on_device, address, 1, "the address").device;
}

void allow_peer(int device, int peer) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  m.peers.insert({device, peer});
}

char* reach(const void* address, std::size_t bytes, int device, const char* what) {
  return find(address, bytes, device, what);
}

char* reach_from_anywhere(const void* address, std::size_t bytes, const char* what) {
  return find(address, bytes, any_device, what);
}

}  // namespace stand_in
