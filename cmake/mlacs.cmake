# libmlacs, the MLACS: shared and static, on libopenblacs, and its Fortran module.
# Included by the top CMakeLists.txt after cmake/fortran.cmake.
file(GLOB OB_MLACS_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/interfaces/mlacs/*.c)
add_library(openblacs_mlacs SHARED ${OB_MLACS_SOURCES})
add_library(openblacs_mlacs_static STATIC ${OB_MLACS_SOURCES})
target_link_libraries(openblacs_mlacs PUBLIC openblacs)
target_link_libraries(openblacs_mlacs_static PUBLIC openblacs_static)
target_link_options(openblacs_mlacs PRIVATE -Wl,-Bsymbolic-functions)
foreach(target openblacs_mlacs openblacs_mlacs_static)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME mlacs)
  target_compile_definitions(${target} PRIVATE OPENBLACS_BUILDING _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE Threads::Threads m)
endforeach()
set_target_properties(openblacs_mlacs PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
                      INSTALL_RPATH "$ORIGIN" EXPORT_NAME mlacs)
set_target_properties(openblacs_mlacs_static PROPERTIES EXPORT_NAME mlacs_static)
add_library(openblacs::mlacs ALIAS openblacs_mlacs)
add_library(openblacs::mlacs_static ALIAS openblacs_mlacs_static)
set(OB_MLACS_TARGETS openblacs_mlacs openblacs_mlacs_static)

if(TARGET openblacs_fortran)
  ob_fortran_source(mlacs mlacs OB_MLACS_MODULE)
  add_library(openblacs_mlacs_fortran STATIC ${OB_MLACS_MODULE})
  add_library(openblacs::mlacs_fortran ALIAS openblacs_mlacs_fortran)
  set_target_properties(openblacs_mlacs_fortran PROPERTIES OUTPUT_NAME mlacs_fortran
    EXPORT_NAME mlacs_fortran Fortran_MODULE_DIRECTORY ${OB_FMOD_BUILD_DIR})
  target_include_directories(openblacs_mlacs_fortran INTERFACE
    $<BUILD_INTERFACE:${OB_FMOD_BUILD_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_LIBDIR}/openblacs/fortran>)
  target_link_libraries(openblacs_mlacs_fortran PUBLIC openblacs_mlacs)
  list(APPEND OB_MLACS_TARGETS openblacs_mlacs_fortran)
endif()
