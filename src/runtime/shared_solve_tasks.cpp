// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/shared_solve_tasks.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace espalier::internal {

SharedSolveTasks::SharedSolveTasks(const SolveInput& input, const SolveVectors& vectors,
                                   Index columns, TaskList& list)
    : input_(input),
      solve_(*input.shared),
      vectors_(vectors),
      columns_(columns),
      list_(list),
      first_data_(static_cast<Index>(list.data.size())),
      first_tile_(first_data_ + static_cast<Index>(solve_.segment.size()) + 1),
      devices_(input.tiling != nullptr),
      values_(static_cast<Count>(solve_.total_rows) * columns),
      add_{{&input.context}} {
  for (const auto& segment : solve_.segment) {
    double* const first = values_.data() + static_cast<Count>(segment.place) * columns;
    list_.data.push_back({first, columns, input.structure.width(segment.panel), columns});
  }
  add_local_vector();
  place_tiles();
  load_.reserve(solve_.segment.size());
  forward_.reserve(solve_.tile.size());
  backward_.reserve(solve_.tile.size());
  if (devices_) store_.reserve(solve_.tile.size());
}

Count SharedSolveTasks::task_bytes() const {
  return bytes_of(node_row_) + bytes_of(place_) + bytes_of(place_begin_) + bytes_of(load_) +
         bytes_of(forward_) + bytes_of(backward_) + bytes_of(store_) + bytes_of(message_);
}

void SharedSolveTasks::add_local_vector() {
  node_.vectors = {values_.data(), columns_, solve_.node_rows, columns_};
  for (const Index segment : solve_.rows) {
    if (segment < 0) continue;
    const Index panel = solve_.segment[segment].panel;
    const Index end = input_.structure.panel_begin[panel + 1];
    for (Index row = input_.structure.panel_begin[panel]; row < end; ++row) {
      node_row_.push_back(row);
    }
  }
  node_.external_rows = node_row_;
}

void SharedSolveTasks::place_tiles() {
  place_begin_.push_back(0);
  for (const auto& tile : solve_.tile) {
    auto at = node_row_.begin();
    for (const Index row : rows_below(tile)) {
      at = std::lower_bound(at, node_row_.end(), row);
      place_.push_back(static_cast<Index>(at - node_row_.begin()));
    }
    place_begin_.push_back(static_cast<Count>(place_.size()));
  }
}

std::vector<Index> SharedSolveTasks::segments_of(std::span<const Index> rows) const {
  const auto& begin = input_.structure.panel_begin;
  std::vector<Index> segments;
  Index end = 0;  // of the current panel
  for (const Index row : rows) {
    if (row < end) continue;
    const auto after = std::upper_bound(begin.begin() + solve_.first_panel, begin.end(), row);
    end = *after;
    segments.push_back(solve_.rows[after - begin.begin() - 1 - solve_.first_panel]);
  }
  return segments;
}

void SharedSolveTasks::append_forward(const std::vector<std::vector<Index>>& left, Index ready,
                                      std::span<const float> priority) {
  for (const auto& step : solve_.forward) {
    const float urgency = priority[solve_.segment[step.segment].panel - solve_.first_panel];
    if (step.kind == SharedSolve::Step::Kind::load) {
      append_load(step.segment, left[step.segment], ready, urgency);
    } else {
      append(step, TaskKind::forward, urgency);
    }
  }
}

void SharedSolveTasks::append_backward(std::span<const float> priority) {
  for (const auto& step : solve_.backward) {
    append(step, TaskKind::backward,
           priority[solve_.segment[step.segment].panel - solve_.first_panel]);
  }
}

void SharedSolveTasks::append(const SharedSolve::Step& step, TaskKind kind, float priority) {
  switch (step.kind) {
    case SharedSolve::Step::Kind::load: break;
    case SharedSolve::Step::Kind::add: return append_add(step, kind, priority);
    case SharedSolve::Step::Kind::tile: return append_tile(step, kind, priority);
    case SharedSolve::Step::Kind::send: return append_message(step, Message::Kind::send, priority);
    case SharedSolve::Step::Kind::receive:
      return append_message(step, Message::Kind::receive, priority);
  }
}

void SharedSolveTasks::append_message(const SharedSolve::Step& step, Message::Kind kind,
                                      float priority) {
  message_.push_back({kind, data(step.segment), step.other, step.tag,
                      static_cast<Index>(list_.task.size()), priority});
}

Shape SharedSolveTasks::shape_of(TaskKind kind, Index rows, Index inner, double entries) const {
  return {kind,
          rows,
          columns_,
          inner,
          flops::solve(entries, columns_),
          input_.cost.solve(entries, rows, columns_)};
}

void SharedSolveTasks::append_load(Index segment, std::span<const Index> left, Index ready,
                                   float priority) {
  const auto& [panel, place] = solve_.segment[segment];
  const Index width = input_.structure.width(panel);
  const auto& bound =
      load_.emplace_back(LoadSegmentTask{{{&input_.context}, &vectors_, input_.old_of},
                                         &node_,
                                         place,
                                         place + width,
                                         owns(panel) ? input_.structure.panel_begin[panel] : -1});
  std::vector<Access> accesses{{data(segment), AccessMode::write}};
  for (const Index outer : left) accesses.push_back({outer, AccessMode::read});
  accesses.push_back({ready, AccessMode::read});
  list_.append(shape_of(TaskKind::forward, width, 0, 0), bound, accesses, priority);
}

void SharedSolveTasks::append_add(const SharedSolve::Step& step, TaskKind kind, float priority) {
  const std::array accesses{Access{data(step.segment), AccessMode::read_write},
                            Access{data(step.other), AccessMode::read}};
  const Index width = input_.structure.width(solve_.segment[step.segment].panel);
  list_.append(shape_of(kind, width, 0, 0), add_, accesses, priority);
}

SharedTileArguments SharedSolveTasks::arguments(Index tile) const {
  const auto& rows = solve_.tile[tile];
  const auto entries = input_.tiles[rows.factor_tile].as<double>();
  return {{{&input_.context}, &vectors_, input_.old_of},
          entries.row_range(rows.row_begin - rows.factor_row, rows.row_end - rows.row_begin),
          rows.row_begin == 0,
          input_.structure.panel_begin[rows.panel],
          place_of(tile),
          &node_,
          input_.structure.panel_begin[rows.panel]};
}

void SharedSolveTasks::append_tile(const SharedSolve::Step& step, TaskKind kind, float priority) {
  const auto& tile = solve_.tile[step.other];
  const bool forward = kind == TaskKind::forward;
  const bool clears = !forward && tile.first && !owns(tile.panel);
  const bool solves = tile.row_begin == 0;
  const bool reads = forward && !solves;
  std::vector<Access> accesses{{data(step.segment), clears  ? AccessMode::write
                                                    : reads ? AccessMode::read
                                                            : AccessMode::read_write}};
  const std::vector<Index> segments = segments_of(rows_below(tile));
  for (const Index segment : segments) {
    accesses.push_back({data(segment), forward ? AccessMode::read_write : AccessMode::read});
  }
  SharedTileArguments bound = arguments(step.other);
  if (devices_) {
    accesses.push_back({first_tile_ + tile.factor_tile, AccessMode::read});
    bound.words = words_of(step.other, segments, clears);
  }
  const Shape shape = shape_of_tile(kind, tile);
  if (forward) {
    return list_.append(shape, forward_.emplace_back(ForwardSharedTileTask{std::move(bound)}),
                        accesses, priority);
  }
  const bool stores_apart = devices_ && solves;
  if (stores_apart) bound.first_column = -1;
  list_.append(shape, backward_.emplace_back(BackwardSharedTileTask{std::move(bound), clears}),
               accesses, priority);
  if (stores_apart) append_store(step.segment, priority);
}

std::span<const Index> SharedSolveTasks::rows_below(const SharedSolve::Tile& tile) const {
  const Index top = tile.row_begin == 0 ? input_.structure.width(tile.panel) : tile.row_begin;
  return input_.structure.rows(tile.panel).first(tile.row_end).subspan(top);
}

Shape SharedSolveTasks::shape_of_tile(TaskKind kind, const SharedSolve::Tile& tile) const {
  const Index width = input_.structure.width(tile.panel);
  const Index height = tile.row_end - tile.row_begin;
  const bool solves = tile.row_begin == 0;
  const double entries = width * (height - (solves ? 0.5 * (width - 1) : 0));
  Shape shape = shape_of(kind, height, width, entries);
  if (!devices_) return shape;
  shape.row = tile.row_panel;
  shape.column = tile.panel;
  shape.own_row = tile.own_row;
  shape.own_column = tile.own_column;
  input_.offer_to_devices(shape, solves);
  return shape;
}

MessageWriter SharedSolveTasks::words_of(Index tile, std::span<const Index> segments,
                                         bool clears) const {
  const auto of_tile = static_cast<Index>(segments.size()) + 1;
  const auto& rows = solve_.tile[tile];
  const bool solves = rows.row_begin == 0;
  const Index top =
      (solves ? input_.structure.width(rows.panel) : rows.row_begin) - rows.factor_row;
  const auto place = place_of(tile);
  MessageWriter words;
  words.write(SolveTileMessage{solves ? of_tile : -1, clears ? 1 : 0});
  Index at = 0;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const auto& [panel, begin] = solve_.segment[segments[k]];
    const Index end = begin + input_.structure.width(panel);
    while (at < std::ssize(place) && place[at] < end) {
      const Index first = at++;
      while (at < std::ssize(place) && place[at] < end && place[at] == place[at - 1] + 1) ++at;
      words.add(FacingRows{.segment = static_cast<Index>(k) + 1,
                           .place = place[first] - begin,
                           .tile = of_tile,
                           .top = top + first,
                           .rows = at - first});
    }
  }
  return words;
}

void SharedSolveTasks::append_store(Index segment, float priority) {
  const Index panel = solve_.segment[segment].panel;
  const Index width = input_.structure.width(panel);
  const auto& bound = store_.emplace_back(StoreTask{
      {{&input_.context}, &vectors_, input_.old_of}, input_.structure.panel_begin[panel], width});
  const Access access{data(segment), AccessMode::read};
  list_.append(input_.shape_of_copy(TaskKind::backward, width, columns_), bound, {&access, 1},
               priority);
}

}  // namespace espalier::internal
