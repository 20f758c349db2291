# SPDX-License-Identifier: BSD-3-Clause
# Settings for cpack, which makes Debian packages of the components in EspalierInstall.cmake. tools/packaging/deb.sh calls it
# after it has written the file `copyright` into the build folder.
if(NOT (ESPALIER_MPI AND ESPALIER_PYTHON_FOLDER AND EXISTS "${PROJECT_BINARY_DIR}/copyright"))
  message(FATAL_ERROR "ESPALIER_DEBIAN is an option for tools/packaging/deb.sh, which sets everything that packages need; run that script.")
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library development plugin program python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SOURCE espalier)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# dpkg-shlibdeps finds the dependencies. Only the libraries of the private StarPU do not come from a package of Debian.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${ESPALIER_PRIVATE_STARPU}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own

# espalier_debian_package(COMPONENT NAME SECTION SUMMARY TEXT): sets name and description of a component's package.
function(espalier_debian_package component name section summary text)
  string(TOUPPER "${component}" key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}
Espalier solves A x = b for sparse, symmetric positive definite A, by a
supernodal Cholesky factorization whose tasks StarPU runs on the cores and
devices of a machine.

${text}" PARENT_SCOPE)
  if(NOT component STREQUAL "library")
    set(CPACK_COMPONENT_${key}_DEPENDS library PARENT_SCOPE)
  endif()
  set(doc_folder "${CMAKE_INSTALL_DATADIR}/doc/${name}")
  install(FILES "${PROJECT_BINARY_DIR}/copyright" "${PROJECT_BINARY_DIR}/changelog.Debian.gz" DESTINATION "${doc_folder}"
          COMPONENT ${component})
  set(overrides "${PROJECT_SOURCE_DIR}/tools/packaging/debian/${component}.overrides")
  if(EXISTS "${overrides}")
    install(FILES "${overrides}" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides" RENAME ${name}
            COMPONENT ${component})
  endif()
endfunction()

set(library_package libespalier${PROJECT_VERSION_MAJOR})
espalier_debian_package(library ${library_package} libs "Sparse Cholesky factorization over StarPU - library"
"This package has the shared library, and its StarPU in a private folder.")
espalier_debian_package(development libespalier-dev libdevel "Sparse Cholesky factorization over StarPU - development files"
"This package has the headers for C++ and C, the module for Fortran as source,
and the files for CMake and pkg-config.")
espalier_debian_package(plugin libespalier-sched libs "Scheduling policies of Espalier for StarPU programs"
"This package has its scheduling policies as a plugin, STARPU_SCHED_LIB, for
every program that uses StarPU 1.4.")
espalier_debian_package(program espalier math "Sparse Cholesky factorization over StarPU - program"
"This package has the program, which solves, analyzes and generates systems,
on one machine or several ranks, and measures, tunes and simulates machines.")
espalier_debian_package(python python3-espalier python "Sparse Cholesky factorization over StarPU - module for Python"
"This package has the module for Python 3, with the interface of scikit-sparse.")

set(python_version "${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
math(EXPR python_next "${Python_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libeigen3-dev, libopenmpi-dev")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "python3:any")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "openmpi-bin")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-matplotlib")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${python_version}~), python3 (<< ${Python_VERSION_MAJOR}.${python_next}), \
python3-numpy, python3-scipy")

# Files for dpkg and its tools. Before 1.0 the interface may change with the minor version.
math(EXPR next_minor "${PROJECT_VERSION_MINOR} + 1")
file(CONFIGURE OUTPUT debian/shlibs CONTENT "libespalier ${PROJECT_VERSION_MAJOR} ${library_package} (>= ${PROJECT_VERSION}), \
${library_package} (<< ${PROJECT_VERSION_MAJOR}.${next_minor}~)\n")
file(CONFIGURE OUTPUT debian/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/shlibs;${PROJECT_BINARY_DIR}/debian/triggers")
set(scripts "${PROJECT_SOURCE_DIR}/tools/packaging/debian/python3-espalier")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${scripts}/postinst;${scripts}/prerm")

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT changelog.Debian CONTENT "espalier (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; \
urgency=medium

  * Packages that tools/packaging/deb.sh has made of this version.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
execute_process(COMMAND gzip -9nf "${PROJECT_BINARY_DIR}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
install(DIRECTORY tools/starpu/ DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${library_package}/starpu" COMPONENT library
        FILES_MATCHING PATTERN "*.patch")

# Debian's rules: manual pages are compressed, zsh's completion has another folder, and libraries have no debug symbols.
install(CODE "set(staged \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
              file(GLOB pages \"\${staged}/${CMAKE_INSTALL_MANDIR}/man1/*.1\")
              execute_process(COMMAND gzip -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)
              file(RENAME \"\${staged}/${CMAKE_INSTALL_DATADIR}/zsh/site-functions\"
                          \"\${staged}/${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions\")" COMPONENT program)
install(CODE "file(GLOB libraries \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/espalier/*\")
              execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \${libraries} COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT library)
include(CPack)
