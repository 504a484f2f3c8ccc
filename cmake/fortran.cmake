# The Fortran modules `blacs` and `icc`: explicit interfaces of all routines. Targets
# openblacs_fortran (openblacs::fortran) and openblacs_icc_fortran (openblacs::icc_fortran)
# carry the modules' folder and the shared library. Without a Fortran compiler it is left out with a message.
# Use: include(cmake/fortran.cmake) at the top, after cmake/icc.cmake.
include(CheckLanguage)
set(OB_FMOD_BUILD_DIR ${PROJECT_BINARY_DIR}/fortran)

if(OPENBLACS_FORTRAN)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER AND EXISTS ${PROJECT_SOURCE_DIR}/interfaces/blacs/blacs.f90)
    enable_language(Fortran)
    add_library(openblacs_fortran STATIC ${PROJECT_SOURCE_DIR}/interfaces/blacs/blacs.f90
                ${PROJECT_SOURCE_DIR}/interfaces/blacs/blacs_extensions.f90)
    add_library(openblacs::fortran ALIAS openblacs_fortran)
    set_target_properties(openblacs_fortran PROPERTIES
      EXPORT_NAME fortran Fortran_MODULE_DIRECTORY ${OB_FMOD_BUILD_DIR})
    target_include_directories(openblacs_fortran INTERFACE
      $<BUILD_INTERFACE:${OB_FMOD_BUILD_DIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_LIBDIR}/openblacs/fortran>)
    target_link_libraries(openblacs_fortran PUBLIC openblacs)
    add_library(openblacs_icc_fortran STATIC ${OB_ICC_MODULE})
    add_library(openblacs::icc_fortran ALIAS openblacs_icc_fortran)
    set_target_properties(openblacs_icc_fortran PROPERTIES OUTPUT_NAME icc_fortran
      EXPORT_NAME icc_fortran Fortran_MODULE_DIRECTORY ${OB_FMOD_BUILD_DIR})
    target_include_directories(openblacs_icc_fortran INTERFACE
      $<BUILD_INTERFACE:${OB_FMOD_BUILD_DIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_LIBDIR}/openblacs/fortran>)
    target_link_libraries(openblacs_icc_fortran PUBLIC openblacs_icc)
  else()
    message(STATUS "no Fortran compiler: the modules `blacs` and `icc` are not built")
  endif()
endif()
