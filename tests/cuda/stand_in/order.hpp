// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

/// The work that is known to be finished when a job begins on a stream: all earlier jobs of the
/// stream, and the work whose end the host had seen when it submitted the job.
///
/// Two jobs conflict if they touch the same memory, one of them writes it, and neither knows that
/// the other one is finished. This is a misuse even if they do not overlap in this run. All threads
/// of the host count as one, because the stand-in cannot see how they wait for each other.
namespace stand_in {

/// Number of finished jobs per stream, by its number. The first entry is for the host itself.
using Knowledge = std::shared_ptr<const std::vector<long>>;

/// Returns the current knowledge of the host.
Knowledge knowledge_of_host();
/// Notes that the host has seen the end of the first `jobs` jobs of the stream.
void note_end(long stream, long jobs);

/// Marks a job on a stream as the work of this thread.
class Working {
 public:
  Working(long stream, long job, Knowledge knowledge);
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
};

/// Notes that the job of this thread, or the host if it has none, touches memory. Ignores host
/// memory. Calls misuse() if work of another stream on this memory is not ordered with it.
void touch(const void* memory, std::size_t bytes, bool writes);
/// Forgets accesses to this memory, because it is freed.
void forget(const void* memory, std::size_t bytes);

}  // namespace stand_in
