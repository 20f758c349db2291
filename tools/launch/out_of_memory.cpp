// SPDX-License-Identifier: BSD-3-Clause

#include "launch/out_of_memory.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "base/caught_error.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Whether operator new has failed. A later call of std::terminate() is then caused by that.
std::atomic<bool> has_run_out = false;
std::atomic<bool> main_has_begun = false;
std::terminate_handler usual_end = nullptr;

[[noreturn]] void note_failure() {
  has_run_out = true;
  throw std::bad_alloc();
}

bool is_about_memory() noexcept {
  if (has_run_out) return true;
  if (std::current_exception() == nullptr) return false;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const MemoryError&) {
    return true;
  } catch (...) {
    return false;
  }
}

void on_terminate() {
  if (is_about_memory()) end_without_memory();
  usual_end();
}

void on_early_exit() {
  if (!main_has_begun) end_without_memory();
}

void say(std::string_view text) noexcept {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

void end_without_memory() noexcept {
  say("espalier: ");
  say(out_of_memory_message);
  say("\n");
  std::_Exit(static_cast<int>(ErrorCode::memory));
}

void expect_to_run_out_of_memory() noexcept {
  std::set_new_handler(note_failure);
  usual_end = std::set_terminate(on_terminate);
  std::atexit(on_early_exit);
}

void begin_main() noexcept { main_has_begun = true; }

}  // namespace espalier::internal
