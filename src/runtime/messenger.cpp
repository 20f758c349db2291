// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/messenger.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/dense_view.hpp"
#include "espalier/error.hpp"

namespace espalier {

namespace {

/// Between two looks at what is under way. A look takes a few microseconds, so the thread needs
/// some percent of a core; tasks take many times as long.
constexpr std::chrono::microseconds pause_between_looks{50};

MatrixView memory_of(starpu_data_handle_t data) {
  void* const there = starpu_data_get_interface_on_node(data, STARPU_MAIN_RAM);
  return {reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(there)),
          static_cast<Index>(STARPU_MATRIX_GET_NX(there)),
          static_cast<Index>(STARPU_MATRIX_GET_NY(there)),
          static_cast<Count>(STARPU_MATRIX_GET_LD(there))};
}

Count bytes_of(const MatrixView& view) {
  return static_cast<Count>(view.rows) * view.columns * static_cast<Count>(sizeof(double));
}

}  // namespace

Messenger::Messenger(MPI_Comm comm) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) {
    throw UsageError(
        "MPI was initialised without MPI_THREAD_MULTIPLE, which several ranks need; ask "
        "MPI_Init_thread for it, or use an MPI that has it");
  }
  MPI_Comm_dup(comm, &comm_);
  thread_ = std::thread([this] { work(); });
}

Messenger::~Messenger() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
  MPI_Comm_free(&comm_);
}

void Messenger::send(starpu_data_handle_t data, Index rank, Index tag, int priority, Party party) {
  submit({this, data, true, rank, tag, priority, party});
}

void Messenger::receive(starpu_data_handle_t data, Index rank, Index tag, Party party) {
  submit({this, data, false, rank, tag, 0, party});
}

void Messenger::submit(Letter letter) {
  auto owned = std::make_unique<Letter>(letter);
  letter.party.completion.begin_one();
  const starpu_data_access_mode mode = letter.sends ? STARPU_R : STARPU_W;
  if (starpu_data_acquire_on_node_cb(letter.data, STARPU_MAIN_RAM, mode, data_is_there,
                                     owned.get()) != 0) {
    letter.party.completion.end_one();
    throw RuntimeFailure("StarPU does not give access to data that is to travel");
  }
  static_cast<void>(owned.release());  // finish() deletes it
}

void Messenger::data_is_there(void* letter) {
  auto* const ready = static_cast<Letter*>(letter);
  Messenger& self = *ready->messenger;
  {
    const std::lock_guard lock(self.mutex_);
    self.ready_.push_back(ready);
  }
  self.changed_.notify_one();
}

void Messenger::work() {
  prctl(PR_SET_TIMERSLACK, 1UL);  // a sleep is as long as it is meant to be
  std::vector<Letter*> ready;
  std::unique_lock lock(mutex_);
  while (true) {
    if (ready_.empty() && posted_.empty()) {
      if (stop_) return;
      changed_.wait(lock);
    }
    ready.swap(ready_);
    lock.unlock();
    post(ready);
    const bool any = finish_some();
    lock.lock();
    if (!any && ready_.empty() && !posted_.empty()) changed_.wait_for(lock, pause_between_looks);
  }
}

void Messenger::post(std::vector<Letter*>& ready) {
  std::stable_sort(ready.begin(), ready.end(),
                   [](const Letter* a, const Letter* b) { return a->priority > b->priority; });
  for (Letter* const letter : ready) {
    const MatrixView view = memory_of(letter->data);
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    MPI_Type_vector(view.columns, view.rows, static_cast<int>(view.ld), MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    MPI_Request request = MPI_REQUEST_NULL;
    if (letter->sends) {
      const int count = letter->party.failure.happened() ? 0 : 1;
      MPI_Isend(view.data, count, columns, letter->rank, letter->tag, comm_, &request);
    } else {
      MPI_Irecv(view.data, 1, columns, letter->rank, letter->tag, comm_, &request);
    }
    MPI_Type_free(&columns);
    request_.push_back(request);
    posted_.push_back(letter);
  }
  ready.clear();
}

bool Messenger::finish_some() {
  if (request_.empty()) return false;
  finished_.resize(request_.size());
  status_.resize(request_.size());
  int count = 0;
  MPI_Testsome(static_cast<int>(request_.size()), request_.data(), &count, finished_.data(),
               status_.data());
  if (count <= 0) return false;
  for (int i = 0; i < count; ++i) finish(std::exchange(posted_[finished_[i]], nullptr), status_[i]);
  std::erase(posted_, nullptr);
  std::erase(request_, MPI_REQUEST_NULL);
  return true;
}

void Messenger::finish(Letter* letter, MPI_Status& status) {
  const Count bytes = bytes_of(memory_of(letter->data));
  {
    const std::lock_guard lock(mutex_);
    (letter->sends ? traffic_.messages_sent : traffic_.messages_received) += 1;
    (letter->sends ? traffic_.bytes_sent : traffic_.bytes_received) += bytes;
  }
  if (!letter->sends) {
    MPI_Count elements = 0;
    MPI_Get_elements_x(&status, MPI_DOUBLE, &elements);
    if (elements == 0) letter->party.failure.report_elsewhere();
  }
  const Party party = letter->party;
  starpu_data_release_on_node(letter->data, STARPU_MAIN_RAM);
  delete letter;
  party.completion.end_one();
}

Traffic Messenger::traffic() const {
  const std::lock_guard lock(mutex_);
  return traffic_;
}

}  // namespace espalier
