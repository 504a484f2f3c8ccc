# What is installed beside the targets (targets.cmake, fortran.cmake): headers, the CMake package,
# manual pages, documents. Nothing installed holds an absolute path, so the whole prefix
# may be moved, unless a CMAKE_INSTALL_...DIR is absolute.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/openblacs DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
# The names that programs for BSPlib and NX include.
foreach(name bsp bsp2d bsp_level1 nx cube)
  install(FILES include/${name}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()

# ----------------------------------------------------------- find_package
set(OB_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/openblacs)
install(EXPORT openblacs-targets NAMESPACE openblacs:: DESTINATION ${OB_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/openblacs-config.cmake.in
  ${PROJECT_BINARY_DIR}/openblacs-config.cmake INSTALL_DESTINATION ${OB_CMAKE_DIR}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/openblacs-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/openblacs-config.cmake
              ${PROJECT_BINARY_DIR}/openblacs-config-version.cmake
        DESTINATION ${OB_CMAKE_DIR})

# ------------------------------------------------------------ Python
include(${CMAKE_CURRENT_LIST_DIR}/python.cmake)

# ------------------------------------------------------------ pages, documents
include(${CMAKE_CURRENT_LIST_DIR}/man.cmake)
# The README stands above docs/ as in the source tree, so that the pages' links lead somewhere.
set(OB_DOC_DIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/openblacs)
install(FILES LICENSE CHANGELOG.md README.md SECURITY.md DESTINATION ${OB_DOC_DIR})
install(DIRECTORY docs DESTINATION ${OB_DOC_DIR})
install(DIRECTORY bench DESTINATION ${OB_DOC_DIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
        PATTERN platforms EXCLUDE)

if(OB_WHOLE)
  include(${CMAKE_CURRENT_LIST_DIR}/docs.cmake)
endif()

# The programs that the pages name; they build there (make, or cmake).
install(DIRECTORY examples DESTINATION ${OB_DOC_DIR})

# Each tool by its name, as the shells look for it.
set(OB_SHELLS ${PROJECT_SOURCE_DIR}/completions)
foreach(tool obrun obbench obtrace obinfo bsprun bspcc)
  install(FILES ${OB_SHELLS}/openblacs.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${tool})
  install(FILES ${OB_SHELLS}/openblacs.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ${tool}.fish)
endforeach()
install(FILES ${OB_SHELLS}/_openblacs DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# For environment-modules and Lmod; they find the prefix from where they stand, but for folders that
# are no part of it.
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}")
  set(OB_MODULE_FILES ${CMAKE_INSTALL_DATADIR}/modulefiles/openblacs)
  string(REGEX MATCHALL "/" steps "/${OB_MODULE_FILES}/")
  list(LENGTH steps OB_MODULE_DEPTH)
  foreach(dir BINDIR MANDIR LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
      set(OB_TCL_${dir} "${CMAKE_INSTALL_${dir}}")
      set(OB_LUA_${dir} "\"${CMAKE_INSTALL_${dir}}\"")
    else()
      set(OB_TCL_${dir} "$prefix/${CMAKE_INSTALL_${dir}}")
      set(OB_LUA_${dir} "prefix .. \"/${CMAKE_INSTALL_${dir}}\"")
    endif()
  endforeach()
  if(OPENBLACS_PYTHON_DIR)
    set(OB_TCL_PYTHON "prepend-path PYTHONPATH $prefix/${OPENBLACS_PYTHON_DIR}\n")
    set(OB_LUA_PYTHON "prepend_path(\"PYTHONPATH\", prefix .. \"/${OPENBLACS_PYTHON_DIR}\")\n")
  endif()
  foreach(kind "" .lua)
    configure_file(packaging/modules/openblacs${kind}.in packaging/modules/${PROJECT_VERSION}${kind} @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/packaging/modules/${PROJECT_VERSION}${kind} DESTINATION ${OB_MODULE_FILES})
  endforeach()
endif()

# ------------------------------------------------------------------ uninstall
# Within another project the list of what is installed is that project's.
if(OB_WHOLE)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
    -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake)
endif()
