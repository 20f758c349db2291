// SPDX-License-Identifier: BSD-3-Clause
//
// Makes allocations of a process fail. It is preloaded, and these variables control it:
//
// FAIL_AT=N        The N-th allocation fails, counted from 1.
// FAIL_FROM=N      The N-th allocation and all later ones fail.
// FAIL_IN=program  Counts only allocations of the program itself, and those of the C++ library for
//                  it, such as operator new. Otherwise allocations of all libraries count.
// FAIL_LOG=PATH    Appends a line to this file for each of the first failures, with the call stack,
//                  innermost function first, and at the end the number of allocations.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

// NOLINTBEGIN(bugprone-reserved-identifier): glibc's own
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

/// A line of text that allocates no memory.
class Line {
 public:
  void add(std::string_view text) {
    const std::size_t length = std::min(text.size(), text_.size() - length_);
    std::memcpy(text_.data() + length_, text.data(), length);
    length_ += length;
  }
  void add(std::size_t number) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    add({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  void append_to(const char* path) {
    if (length_ == text_.size()) --length_;
    add("\n");
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    [[maybe_unused]] const auto written = write(file, text_.data(), length_);
    close(file);
  }

 private:
  std::array<char, 4096> text_{};
  std::size_t length_ = 0;
};

/// Address range of the code of a loaded file.
struct Code {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

struct Settings {
  std::size_t first = 0;  ///< number of the first failing allocation, 0 for none
  bool all_later = false;
  bool only_program = false;
  const char* log = nullptr;
  std::array<Code, 3> program{};  ///< the program and the libraries that allocate for it
};

std::string_view file_name(const char* path) {
  const std::string_view whole = path == nullptr ? "" : path;
  return whole.substr(whole.rfind('/') + 1);
}

int note_code(dl_phdr_info* file, std::size_t /*size*/, void* settings) {
  auto& program = static_cast<Settings*>(settings)->program;
  const std::string_view name = file_name(file->dlpi_name);
  Code* const place = name.empty()                       ? &program[0]
                      : name.starts_with("libstdc++.so") ? &program[1]
                      : name.starts_with("libfmt.so")    ? &program[2]
                                                         : nullptr;
  if (place == nullptr || place->end != 0) return 0;  // the vDSO has no name either
  place->begin = ~std::uintptr_t{0};
  for (std::size_t k = 0; k < file->dlpi_phnum; ++k) {
    const auto& part = file->dlpi_phdr[k];
    if (part.p_type != PT_LOAD) continue;
    place->begin = std::min<std::uintptr_t>(place->begin, file->dlpi_addr + part.p_vaddr);
    place->end =
        std::max<std::uintptr_t>(place->end, file->dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  return 0;
}

std::size_t number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
}

/// Returns the settings, read at the first allocation because the program may change its
/// environment later.
const Settings& settings() {
  static const Settings all = [] {
    Settings read;
    read.first = number_in("FAIL_AT");
    if (const std::size_t from = number_in("FAIL_FROM"); from > 0) {
      read.first = from;
      read.all_later = true;
    }
    const char* const where = std::getenv("FAIL_IN");
    read.only_program = where != nullptr && std::strcmp(where, "program") == 0;
    if (const char* const log = std::getenv("FAIL_LOG")) {
      static std::array<char, 512> path;  // setenv() may move the environment
      std::strncpy(path.data(), log, path.size() - 1);
      read.log = path.data();
    }
    dl_iterate_phdr(note_code, &read);
    return read;
  }();
  return all;
}

std::atomic<std::size_t> allocations;
/// True while a failure is logged: the allocations of the logging itself do not fail. With this TLS
/// model, the first use by a thread allocates nothing.
[[gnu::tls_model("initial-exec")]] thread_local bool is_telling = false;

_Unwind_Reason_Code add_frame(_Unwind_Context* frame, void* line) {
  Dl_info place{};
  const auto at = reinterpret_cast<void*>(_Unwind_GetIP(frame));
  if (dladdr(at, &place) == 0) return _URC_NO_REASON;
  auto& text = *static_cast<Line*>(line);
  text.add(" < ");
  text.add(file_name(place.dli_fname));
  text.add(":");
  text.add(place.dli_sname == nullptr ? "?" : place.dli_sname);
  return _URC_NO_REASON;
}

void tell(std::size_t number, std::size_t bytes) {
  static std::atomic<int> count;
  constexpr int most = 40;  // without memory, libgfortran fails forever, at a growing depth
  if (++count > most) return;
  is_telling = true;
  Line line;
  line.add("failed ");
  line.add(number);
  line.add(" bytes ");
  line.add(bytes);
  _Unwind_Backtrace(add_frame, &line);
  line.append_to(settings().log);
  is_telling = false;
}

bool fails(std::size_t bytes, const void* caller) {
  if (is_telling) return false;
  const Settings& set = settings();
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  const auto holds = [at](const Code& code) { return code.begin <= at && at < code.end; };
  if (set.only_program && std::none_of(set.program.begin(), set.program.end(), holds)) return false;
  const std::size_t number = ++allocations;
  if (set.first == 0 || number < set.first) return false;
  if (number > set.first && !set.all_later) return false;
  if (set.log != nullptr) tell(number, bytes);
  errno = ENOMEM;
  return true;
}

[[gnu::destructor]] void tell_count() {
  if (settings().log == nullptr) return;
  Line line;
  line.add("allocations ");
  line.add(allocations);
  line.append_to(settings().log);
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
  return fails(bytes, __builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  return fails(count * bytes, __builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
  if (bytes > 0 && fails(bytes, __builtin_return_address(0))) return nullptr;
  return __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return fails(bytes, __builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return fails(bytes, __builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (fails(bytes, __builtin_return_address(0))) return ENOMEM;
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}
