# SPDX-License-Identifier: BSD-3-Clause
# The program, and other targets that need MPI.

# The program's own sources need little run time, so -O1 is enough. CLI11 takes long to compile, so the folders whose
# sources include it are compiled together.
espalier_sources(program_sources cpp tools/cli tools/commands tools/compare tools/describe
                 tools/launch tools/reproduce tools/simulate tools/tune)
add_library(espalier_program_parts STATIC ${program_sources})
target_include_directories(espalier_program_parts PUBLIC "${PROJECT_SOURCE_DIR}/tools")
target_link_libraries(espalier_program_parts PUBLIC espalier_static CLI11::CLI11)
target_compile_options(espalier_program_parts PRIVATE $<IF:$<CONFIG:Debug>,-O0,-O1>)
espalier_compile_by_folder(espalier_program_parts)
espalier_sources(sources_with_cli11 cpp tools/cli tools/commands tools/describe)
# The two sources that include StarPU's headers are left out, so that the release and CUDA builds share this object.
list(FILTER sources_with_cli11 EXCLUDE REGEX "/(rank_solve|tuning)\\.cpp$")
espalier_compile_as_one(${sources_with_cli11})
espalier_sources(sources_with_json cpp tools/compare tools/reproduce tools/simulate)
espalier_compile_as_one(${sources_with_json})

# Target with the dependencies of espalier/mpi.hpp.
add_library(espalier_mpi INTERFACE)
add_library(espalier::mpi ALIAS espalier_mpi)
target_link_libraries(espalier_mpi INTERFACE espalier MPI::MPI_CXX)
set_target_properties(espalier_mpi PROPERTIES EXPORT_NAME mpi)

add_executable(espalier_program tools/espalier.cpp)
# Exported, because coprocessors run the same program and find the functions of tasks by name.
set_target_properties(espalier_program PROPERTIES OUTPUT_NAME espalier ENABLE_EXPORTS ON)
target_link_libraries(espalier_program PRIVATE espalier_program_parts)
espalier_output_in_build_root(espalier_program)
