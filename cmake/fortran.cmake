# The Fortran module `blacs`: explicit interfaces of all routines. Target
# openblacs_fortran (openblacs::fortran) carries the module's folder and the
# shared library. Without a Fortran compiler it is left out with a message.
# Use: include(cmake/fortran.cmake) at the top, after the target openblacs.
include(CheckLanguage)
set(OB_FMOD_BUILD_DIR ${PROJECT_BINARY_DIR}/fortran)

if(OPENBLACS_FORTRAN)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER AND EXISTS ${PROJECT_SOURCE_DIR}/interfaces/blacs/blacs.f90)
    enable_language(Fortran)
    add_library(openblacs_fortran STATIC ${PROJECT_SOURCE_DIR}/interfaces/blacs/blacs.f90)
    add_library(openblacs::fortran ALIAS openblacs_fortran)
    set_target_properties(openblacs_fortran PROPERTIES
      EXPORT_NAME fortran Fortran_MODULE_DIRECTORY ${OB_FMOD_BUILD_DIR})
    target_include_directories(openblacs_fortran INTERFACE
      $<BUILD_INTERFACE:${OB_FMOD_BUILD_DIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_LIBDIR}/openblacs/fortran>)
    target_link_libraries(openblacs_fortran PUBLIC openblacs)
  else()
    message(STATUS "no Fortran compiler: the module `blacs` is not built")
  endif()
endif()
