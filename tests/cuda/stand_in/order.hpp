// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

/// What is known to be over when a piece of work begins on a stream: all before it on the stream,
/// and what the host had seen the end of when it gave the work. Two pieces that touch the same
/// memory, one of which writes, and of which neither knows the other one to be over, are in no
/// order, even if they do not meet in this run. All threads of the host count as one, as nothing
/// shows how they wait for each other.
namespace stand_in {

/// How many jobs are over of each stream, by its number, after what the host itself has done.
using Knowledge = std::shared_ptr<const std::vector<long>>;

/// Returns what the host knows now.
Knowledge knowledge_of_host();
/// The host has seen that so many jobs of the stream are over.
void note_end(long stream, long jobs);

/// Work on a stream, for the thread that does it.
class Working {
 public:
  Working(long stream, long job, Knowledge knowledge);
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
};

/// The work that this thread does, or the host where it does none, touches memory; that of a device
/// is looked at. Calls misuse() where work on another stream that does so is in no order with it.
void touch(const void* memory, std::size_t bytes, bool writes);
/// Nobody touches this memory any more.
void forget(const void* memory, std::size_t bytes);

}  // namespace stand_in
