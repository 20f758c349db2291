# SPDX-License-Identifier: BSD-3-Clause
# The module that SimGrid loads once per simulated rank.
file(GLOB simulator_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/simulated/program/*.cpp")
add_library(espalier_simulated MODULE ${simulator_sources} tools/cli/options.cpp tools/describe/command_text.cpp)
target_include_directories(espalier_simulated PRIVATE "${PROJECT_SOURCE_DIR}/tools")
target_link_libraries(espalier_simulated PRIVATE espalier_static CLI11::CLI11)
# All of StarPU, because a library of policies (STARPU_SCHED_LIB) may use functions that nothing else uses.
target_link_options(espalier_simulated PRIVATE
                    "LINKER:--whole-archive,$<TARGET_FILE:StarPU::StarPU>,--no-whole-archive")
target_compile_options(espalier_simulated PRIVATE -O1)
espalier_output_in_build_root(espalier_simulated)
