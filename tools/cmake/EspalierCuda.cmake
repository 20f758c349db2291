# SPDX-License-Identifier: BSD-3-Clause
# Decides whether CUDA devices can run tasks. This needs a StarPU with CUDA workers, and a CUDA toolkit. Other code is
# the same in both cases.
# espalier_find_cuda(RESULT): sets RESULT to the reason why CUDA cannot be used, or to an empty string.
function(espalier_find_cuda result)
  get_target_property(include_dir StarPU::StarPU INTERFACE_INCLUDE_DIRECTORIES)
  file(STRINGS "${include_dir}/starpu_config.h" supported REGEX "define STARPU_USE_CUDA 1")
  if(NOT supported)
    set(${result} "this StarPU has no CUDA workers; tools/setup.sh --cuda builds one that has" PARENT_SCOPE)
    return()
  endif()
  if(NOT ESPALIER_NVCC)
    set(${result} "nvcc is neither in PATH nor in /usr/local/cuda/bin" PARENT_SCOPE)
    return()
  endif()
  set(${result} "" PARENT_SCOPE)
endfunction()

# espalier_cuda_sources(TARGET): adds the sources of codelets/cuda, or none.cpp in builds without CUDA.
function(espalier_cuda_sources target)
  set(folder "${PROJECT_SOURCE_DIR}/codelets/cuda")
  if(NOT ESPALIER_HAS_CUDA)
    set(instead "${folder}/none.cpp")
    if(ESPALIER_SIMGRID)
      espalier_replace_simulated(instead)
    endif()
    target_sources(${target} PRIVATE "${instead}")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp" "${folder}/*.cu")
  list(FILTER sources EXCLUDE REGEX "/none\\.cpp$")
  target_sources(${target} PRIVATE ${sources})
  # The code of a kernel's threads is also constexpr code for the host; warning 554 is about its conversions. CMake
  # 3.25 does not know CUDA_STANDARD for the newest compilers.
  set_property(SOURCE "${folder}/kernels.cu" PROPERTY COMPILE_OPTIONS -std=c++20 --expt-relaxed-constexpr
                                                      --diag-suppress=554)
  target_link_libraries(${target} PRIVATE espalier_cuda)
endfunction()

espalier_find_cuda(without_cuda)
if(without_cuda)
  set(ESPALIER_HAS_CUDA OFF)
  if(ESPALIER_CUDA)
    message(WARNING "Continuing without CUDA: ${without_cuda}.")
  else()
    message(STATUS "Without CUDA: ${without_cuda}")
  endif()
else()
  set(ESPALIER_HAS_CUDA ON)
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER "${ESPALIER_NVCC}")
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  enable_language(CUDA)
  # Debian 12's CMake sets a property of this target. It cannot create the target if the toolkit (13 and newer) lacks
  # the library. Espalier does not link it.
  if(NOT TARGET CUDA::nvToolsExt)
    add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
  endif()
  find_package(CUDAToolkit REQUIRED)
  message(STATUS "With CUDA ${CUDAToolkit_VERSION}; without devices the program runs on the CPU")
  add_library(espalier_cuda INTERFACE)
  target_link_libraries(espalier_cuda INTERFACE CUDA::cudart CUDA::cublas CUDA::cusolver)
  # The headers of a StarPU with CUDA need these folders.
  set_property(TARGET StarPU::StarPU APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${CUDAToolkit_INCLUDE_DIRS})
endif()
