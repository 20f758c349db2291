// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <list>
#include <span>
#include <unordered_map>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Data of one factor in the memory of a device, with the number of tasks that need it.
class DeviceMemory {
 public:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  struct Piece {
    const void* data;  ///< identifies the piece
    Count bytes;
  };
  using Pieces = std::span<const Piece>;

  /// Admits a task if its pieces fit into `capacity` bytes together with the data that other tasks
  /// need. Returns whether they fit. If they do, the pieces are on the device, and the task needs
  /// them until release().
  ///
  /// To free memory, evict(data) is called for data that no task needs, least recently needed
  /// first. evict() returns whether the data leaves the device. No data is evicted if the task
  /// would not fit even then. Cost O(pieces + data examined for eviction).
  template <class Evict>
  bool admit(Pieces pieces, double capacity, Evict evict) {
    need(pieces);
    if (static_cast<double>(needed_) <= capacity) make_space(capacity, evict);
    const bool fits = static_cast<double>(bytes_) <= capacity;
    if (fits) {
      come(pieces);
    } else {
      give_up(pieces);
    }
    return fits;
  }
  /// Adds the pieces of a task even if they do not fit.
  void take(Pieces pieces) {
    need(pieces);
    come(pieces);
  }
  /// Records that a task has ended and no longer needs its pieces. They stay on the device.
  void release(Pieces pieces) {
    for (const Piece& piece : pieces) needs_no_more(*place_.at(piece.data));
  }
  /// Removes data that has left the device.
  void remove(const void* data) {
    if (const auto at = place_.find(data); at != place_.end()) erase(at->second);
  }

  /// Returns whether a task needs the data.
  bool is_needed(const void* data) const {
    const auto at = place_.find(data);
    return at != place_.end() && at->second->tasks > 0;
  }
  /// Returns the bytes of all data on the device.
  Count bytes() const { return bytes_; }
  /// Returns the bytes of the data that tasks need.
  Count needed() const { return needed_; }

 private:
  struct Entry {
    Piece piece;
    Count tasks = 0;     ///< number of tasks that need it
    bool there = false;  ///< whether it is on the device
  };
  using Place = std::list<Entry>::iterator;

  void need(Pieces pieces) {
    for (const Piece& piece : pieces) {
      const auto [at, is_new] = place_.try_emplace(piece.data);
      if (is_new) {
        at->second = order_.insert(order_.end(), Entry{piece});
        bytes_ += piece.bytes;
      }
      if (at->second->tasks++ == 0) needed_ += piece.bytes;
    }
  }
  void needs_no_more(Entry& entry) {
    if (--entry.tasks == 0) needed_ -= entry.piece.bytes;
  }
  void come(Pieces pieces) {
    for (const Piece& piece : pieces) {
      const Place place = place_.at(piece.data);
      place->there = true;
      order_.splice(order_.end(), order_, place);
    }
  }
  void give_up(Pieces pieces) {
    for (const Piece& piece : pieces) {
      const Place place = place_.at(piece.data);
      needs_no_more(*place);
      if (place->tasks == 0 && !place->there) erase(place);
    }
  }
  template <class Evict>
  void make_space(double capacity, Evict evict) {
    for (Place at = order_.begin(); at != order_.end() && static_cast<double>(bytes_) > capacity;) {
      const Place entry = at++;
      if (entry->tasks == 0 && evict(entry->piece.data)) erase(entry);
    }
  }
  void erase(Place place) {
    bytes_ -= place->piece.bytes;
    place_.erase(place->piece.data);
    order_.erase(place);
  }

  std::list<Entry> order_;  ///< least recently needed first
  std::unordered_map<const void*, Place> place_;
  Count bytes_ = 0;
  Count needed_ = 0;
};

}  // namespace espalier::internal
