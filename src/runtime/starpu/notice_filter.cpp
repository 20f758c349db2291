// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/notice_filter.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace espalier::internal {

namespace {

constexpr std::string_view notices[] = {
    "No performance model for the bus, calibrating...",
    "[check_bus_config_file] ... done",
    "Warning: the current CPU binding set contains only one CPU.",
    "The OMP_PROC_BIND environment variable is set to",
    "Maybe you need to tell your job scheduler to bind on all allocated cores",
    "You can use STARPU_WORKERS_GETBIND=0 to bypass it",
    "was already bound to PU",
    "and we were told to also bind",
    "This will strongly degrade performance.",
    "Maybe check starpu_machine_display's output",
};

/// Receives each call of fprintf() as a whole, because the stream has no buffer.
ssize_t write_others(void* /*cookie*/, const char* text, std::size_t size) {
  const std::string_view line(text, size);
  const bool is_notice =
      line.starts_with("[starpu]") && std::ranges::any_of(notices, [line](std::string_view notice) {
        return line.find(notice) != std::string_view::npos;
      });
  return is_notice ? static_cast<ssize_t>(size) : write(STDERR_FILENO, text, size);
}

/// Returns the stream. It is never closed, because another thread may be about to print to it.
std::FILE* filtering_stream() {
  static std::FILE* const stream = [] {
    cookie_io_functions_t functions{};
    functions.write = write_others;
    std::FILE* const made = fopencookie(nullptr, "w", functions);
    if (made != nullptr) std::setvbuf(made, nullptr, _IONBF, 0);
    return made;
  }();
  return stream;
}

std::atomic_flag filters;

}  // namespace

NoticeFilter::NoticeFilter() {
  if (std::getenv("STARPU_SILENT") != nullptr || filtering_stream() == nullptr) return;
  if (!filters.test_and_set()) before_ = std::exchange(stderr, filtering_stream());
}

NoticeFilter::~NoticeFilter() {
  if (before_ == nullptr) return;
  stderr = before_;
  filters.clear();
}

}  // namespace espalier::internal
