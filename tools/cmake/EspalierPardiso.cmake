# SPDX-License-Identifier: BSD-3-Clause
# Two libraries with the interface of PARDISO, which programs load instead of Panua's libpardiso.so or of MKL's libmkl_rt.so. They
# use only the public headers of Espalier, as applications do.
file(GLOB pardiso_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/bindings/pardiso/*.cpp")
set(pardiso_common ${pardiso_sources})
list(FILTER pardiso_common EXCLUDE REGEX "/(mkl|panua)[^/]*\\.cpp$")
add_library(espalier_pardiso_common OBJECT ${pardiso_common})
add_library(espalier_pardiso SHARED)
add_library(espalier_mkl_rt SHARED)
foreach(target IN ITEMS espalier_pardiso_common espalier_pardiso espalier_mkl_rt)
  target_link_libraries(${target} PRIVATE espalier::espalier espalier_build)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                             POSITION_INDEPENDENT_CODE ON)
endforeach()
foreach(pair IN ITEMS "espalier_pardiso;panua" "espalier_mkl_rt;mkl")
  list(POP_FRONT pair target dialect)
  set(sources ${pardiso_sources})
  list(FILTER sources INCLUDE REGEX "/${dialect}[^/]*\\.cpp$")
  target_sources(${target} PRIVATE ${sources} $<TARGET_OBJECTS:espalier_pardiso_common>)
  # Programs may unload the library, but StarPU may still have threads.
  target_link_options(${target} PRIVATE LINKER:-z,nodelete)
  espalier_version_script(${target} ${target}.map)
  espalier_output_in_build_root(${target})
endforeach()

# espalier_link_as_pardiso(FOLDER LIBRARIES): makes a folder with links to both libraries, under the names that programs search for.
# LIBRARIES is the folder of the libraries, relative to this one.
function(espalier_link_as_pardiso folder libraries)
  file(MAKE_DIRECTORY "${folder}")
  file(CREATE_LINK "${libraries}/libespalier_pardiso.so" "${folder}/libpardiso.so" SYMBOLIC)
  file(CREATE_LINK "${libraries}/libespalier_mkl_rt.so" "${folder}/libmkl_rt.so" SYMBOLIC)
endfunction()
espalier_link_as_pardiso("${PROJECT_BINARY_DIR}/pardiso" ..)
