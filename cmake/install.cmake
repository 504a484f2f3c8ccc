# What `cmake --install` puts where: libraries, headers, MPI modules, obrun, the
# Fortran module, manual pages, and the two ways to find them (pkg-config and a
# CMake package). Nothing installed holds an absolute path, so the whole prefix
# may be moved. Included by the top CMakeLists.txt after the targets exist.
include(CMakePackageConfigHelpers)

set(OB_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/openblacs)
set(OB_MODULES_DIR ${CMAKE_INSTALL_LIBDIR}/openblacs)
set(OB_FMOD_DIR ${CMAKE_INSTALL_LIBDIR}/openblacs/fortran)

foreach(dir LIBDIR INCLUDEDIR BINDIR MANDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    message(FATAL_ERROR "CMAKE_INSTALL_${dir} is ${CMAKE_INSTALL_${dir}}, must be relative to the prefix")
  endif()
endforeach()

# The way from one installed folder to another; both are below the prefix.
function(ob_way from to result)
  file(RELATIVE_PATH way /prefix/${from} /prefix/${to})
  string(REGEX REPLACE "/$" "" way "${way}")
  set(${result} "${way}" PARENT_SCOPE)
endfunction()

# --------------------------------------------------------- libraries, headers
set(OB_INSTALLED openblacs openblacs_static openblacs_icc openblacs_icc_static openblacs_nx openblacs_nx_static)
list(APPEND OB_INSTALLED openblacs_bsp openblacs_bsp_static)
list(APPEND OB_INSTALLED openblacs_picl openblacs_picl_static)
list(APPEND OB_INSTALLED openblacs_blacs94)
if(TARGET openblacs_lu)
  list(APPEND OB_INSTALLED openblacs_lu openblacs_lu_static)
endif()
if(TARGET openblacs_fortran)
  list(APPEND OB_INSTALLED openblacs_fortran openblacs_icc_fortran openblacs_picl_fortran openblacs_bsp_fortran)
  if(TARGET openblacs_lu_fortran)
    list(APPEND OB_INSTALLED openblacs_lu_fortran)
  endif()
endif()
foreach(target openblacs openblacs_static)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
set_target_properties(openblacs PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
set_target_properties(openblacs_static PROPERTIES EXPORT_NAME static)

list(APPEND OB_INSTALLED ${OB_MLACS_TARGETS})

install(TARGETS ${OB_INSTALLED} EXPORT openblacs-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/openblacs
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
# The names that programs for BSPlib and NX include.
install(FILES ${PROJECT_SOURCE_DIR}/include/bsp.h ${PROJECT_SOURCE_DIR}/include/bsp2d.h
              ${PROJECT_SOURCE_DIR}/include/nx.h ${PROJECT_SOURCE_DIR}/include/cube.h
              ${PROJECT_SOURCE_DIR}/include/bsp_level1.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# ------------------------------------------------------------ modules, obrun
# The library looks for its MPI modules in the folder openblacs/ beside itself.
if(OPENBLACS_MPI_MODULES)
  install(TARGETS ${OPENBLACS_MPI_MODULES} LIBRARY DESTINATION ${OB_MODULES_DIR})
endif()
# To be preloaded, so beside the library and under the name a user would look for.
if(OPENBLACS_ICC_MPI_TARGETS)
  install(TARGETS ${OPENBLACS_ICC_MPI_TARGETS} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET obrun)
  ob_way(${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBDIR} way)
  set_target_properties(obrun PROPERTIES INSTALL_RPATH "$ORIGIN/${way}")
  install(TARGETS obrun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET obinfo)
  set_target_properties(obinfo PROPERTIES INSTALL_RPATH "$ORIGIN/${way}")
  install(TARGETS obinfo RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET obtrace)
  install(TARGETS obtrace RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET obbench)
  set_target_properties(obbench PROPERTIES INSTALL_RPATH "$ORIGIN/${way}")
  install(TARGETS obbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(OPENBLACS_PLAIN_MPI_MODULES)
    install(TARGETS ${OPENBLACS_PLAIN_MPI_MODULES} LIBRARY DESTINATION ${OB_MODULES_DIR})
  endif()
endif()

# ------------------------------------------------------------ Fortran module
if(TARGET openblacs_fortran)
  install(FILES ${OB_FMOD_BUILD_DIR}/blacs.mod ${OB_FMOD_BUILD_DIR}/blacs_extensions.mod DESTINATION ${OB_FMOD_DIR})
  install(FILES ${OB_BLACS_MODULE} ${OB_EXTENSIONS_MODULE} DESTINATION ${OB_FMOD_DIR})
  install(FILES ${OB_FMOD_BUILD_DIR}/icc.mod ${OB_ICC_MODULE} DESTINATION ${OB_FMOD_DIR})
  install(FILES ${OB_FMOD_BUILD_DIR}/picl.mod ${OB_PICL_MODULE} DESTINATION ${OB_FMOD_DIR})
  install(FILES ${OB_FMOD_BUILD_DIR}/mlacs.mod ${OB_MLACS_MODULE} DESTINATION ${OB_FMOD_DIR})
  install(FILES ${OB_FMOD_BUILD_DIR}/bsp2d.mod ${OB_BSP2D_MODULE} DESTINATION ${OB_FMOD_DIR})
  if(TARGET openblacs_lu_fortran)
    install(FILES ${OB_FMOD_BUILD_DIR}/bsp_lu.mod ${OB_BSP_LU_MODULE} DESTINATION ${OB_FMOD_DIR})
  endif()
endif()

# ------------------------------------------------------------------ finding it
install(EXPORT openblacs-targets NAMESPACE openblacs:: DESTINATION ${OB_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/openblacs-config.cmake.in
  ${PROJECT_BINARY_DIR}/openblacs-config.cmake INSTALL_DESTINATION ${OB_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/openblacs-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/openblacs-config.cmake
              ${PROJECT_BINARY_DIR}/openblacs-config-version.cmake
        DESTINATION ${OB_CMAKE_DIR})

ob_way(${CMAKE_INSTALL_LIBDIR}/pkgconfig . OB_PC_TO_PREFIX)
set(OB_PC_FILES openblacs icc nx)
list(APPEND OB_PC_FILES openblacs-bsp)
if(TARGET openblacs_lu)
  list(APPEND OB_PC_FILES openblacs-lu)
endif()
if(TARGET openblacs_fortran)
  list(APPEND OB_PC_FILES openblacs-fortran icc-fortran picl-fortran openblacs-bsp-fortran)
  if(TARGET openblacs_lu_fortran)
    list(APPEND OB_PC_FILES openblacs-lu-fortran)
  endif()
endif()
list(APPEND OB_PC_FILES mlacs picl blacs94)
if(TARGET openblacs_mlacs_fortran)
  list(APPEND OB_PC_FILES mlacs-fortran)
endif()
foreach(name ${OB_PC_FILES})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# ------------------------------------------------------------ pages, documents
include(${CMAKE_CURRENT_LIST_DIR}/man.cmake)
# The README stands above docs/ as in the source tree, so that the pages' links lead somewhere.
set(OB_DOC_DIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/openblacs)
install(FILES LICENSE CHANGELOG.md README.md DESTINATION ${OB_DOC_DIR})
install(DIRECTORY docs DESTINATION ${OB_DOC_DIR})
install(DIRECTORY bench DESTINATION ${OB_DOC_DIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
        PATTERN platforms EXCLUDE)

# ------------------------------------------------------------------ uninstall
if(NOT TARGET uninstall)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
    -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake)
endif()
