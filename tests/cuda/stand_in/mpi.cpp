// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI to which StarPU-MPI passes device memory if STAND_IN_MPI says that MPI
// supports it. They pass the addresses of the stand-in to the MPI library.
#include <dlfcn.h>
#include <mpi.h>

#include "cuda/stand_in/memory.hpp"
#include "cuda/stand_in/misuse.hpp"
#include "cuda/stand_in/order.hpp"
#include "cuda/stand_in/settings.hpp"

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Returns the extent of a message, from its first to its last byte.
std::size_t bytes_of(int count, MPI_Datatype type) {
  MPI_Aint begin = 0;
  MPI_Aint bytes = 0;
  MPI_Aint step = 0;
  next<decltype(MPI_Type_get_true_extent)>("MPI_Type_get_true_extent")(type, &begin, &bytes);
  next<decltype(MPI_Type_get_extent)>("MPI_Type_get_extent")(type, &begin, &step);
  return static_cast<std::size_t>((count - 1) * step + bytes);
}

void* here(const char* function, const void* memory, int count, MPI_Datatype type, bool arrives) {
  auto* const same = const_cast<void*>(memory);
  if (count == 0 || memory == nullptr) return same;
  if (stand_in::kind_of(memory) != stand_in::Kind::device) return same;
  const stand_in::Doing doing({function, stand_in::device_of(memory)});
  if (stand_in::number("STAND_IN_MPI", 0) == 0) {
    stand_in::misuse(
        "a message is in the memory of a device, but this MPI cannot send device memory");
  }
  stand_in::touch(memory, bytes_of(count, type), arrives);
  return stand_in::reach_from_anywhere(memory, bytes_of(count, type), "the message");
}

}  // namespace

extern "C" {

int MPI_Isend(const void* memory, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return next<decltype(MPI_Isend)>("MPI_Isend")(here("MPI_Isend", memory, count, type, false),
                                                count, type, rank, tag, comm, request);
}
int MPI_Issend(const void* memory, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return next<decltype(MPI_Issend)>("MPI_Issend")(here("MPI_Issend", memory, count, type, false),
                                                  count, type, rank, tag, comm, request);
}
int MPI_Irecv(void* memory, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return next<decltype(MPI_Irecv)>("MPI_Irecv")(here("MPI_Irecv", memory, count, type, true), count,
                                                type, rank, tag, comm, request);
}
}
