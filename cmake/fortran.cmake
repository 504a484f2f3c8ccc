# The Fortran modules `blacs`, `blacs_extensions`, `icc`, `picl`, `bsp2d` and `bsp_lu`: explicit interfaces of all
# routines. Targets openblacs_fortran (openblacs::fortran), openblacs_icc_fortran (openblacs::icc_fortran) and
# so on carry the modules' folder and the shared library. Without a Fortran compiler it is left out with a message.
# Use: include(cmake/fortran.cmake) at the top, after cmake/icc.cmake and cmake/picl.cmake.
include(CheckLanguage)
set(OB_FMOD_BUILD_DIR ${PROJECT_BINARY_DIR}/fortran)

# Makes a module's source from the pattern interfaces/FOLDER/MODULE.f90.in: what stands between
# lines "!each NAME..." and "!end" is repeated for each of the names, with @NAME@ replaced by it and @TYPE@ by
# the type of its first letter. RESULT becomes the source's name.
set(OB_FORTRAN_i "integer")
set(OB_FORTRAN_s "real")
set(OB_FORTRAN_d "double precision")
set(OB_FORTRAN_c "complex")
set(OB_FORTRAN_z "complex(kind(1d0))")
set(OB_FORTRAN_l "logical")
function(ob_fortran_source folder module result)
  set(pattern ${PROJECT_SOURCE_DIR}/interfaces/${folder}/${module}.f90.in)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pattern})
  file(READ ${pattern} rest)
  set(text "")
  while(rest MATCHES "(!each [^\n]*\n)+")
    set(each "${CMAKE_MATCH_0}")
    string(REGEX MATCHALL "[a-z0-9]+" names "${each}")
    list(REMOVE_ITEM names each)
    string(FIND "${rest}" "${each}" begin)
    string(SUBSTRING "${rest}" 0 ${begin} before)
    string(LENGTH "${before}${each}" begin)
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "!end\n" end)
    string(SUBSTRING "${rest}" 0 ${end} body)
    math(EXPR end "${end} + 5")
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(APPEND text "${before}")
    foreach(name IN LISTS names)
      string(SUBSTRING ${name} 0 1 letter)
      string(REPLACE "@NAME@" ${name} copy "${body}")
      string(REPLACE "@TYPE@" "${OB_FORTRAN_${letter}}" copy "${copy}")
      string(APPEND text "${copy}")
    endforeach()
  endwhile()
  file(GENERATE OUTPUT ${OB_FMOD_BUILD_DIR}/${module}.f90 CONTENT "${text}${rest}")
  set(${result} ${OB_FMOD_BUILD_DIR}/${module}.f90 PARENT_SCOPE)
endfunction()

# A module's static library libNAME_fortran (target openblacs_NAME_fortran, openblacs::NAME_fortran) of a
# source, and the library that its users link.
function(ob_fortran_module name source library)
  set(target openblacs_${name}_fortran)
  add_library(${target} STATIC ${source})
  add_library(openblacs::${name}_fortran ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name}_fortran
                        Fortran_MODULE_DIRECTORY ${OB_FMOD_BUILD_DIR})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${OB_FMOD_BUILD_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_LIBDIR}/openblacs/fortran>)
  target_link_libraries(${target} PUBLIC ${library})
endfunction()

if(OPENBLACS_FORTRAN)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    ob_fortran_source(blacs blacs OB_BLACS_MODULE)
    ob_fortran_source(blacs blacs_extensions OB_EXTENSIONS_MODULE)
    ob_fortran_source(icc icc OB_ICC_MODULE)
    add_library(openblacs_fortran STATIC ${OB_BLACS_MODULE} ${OB_EXTENSIONS_MODULE})
    add_library(openblacs::fortran ALIAS openblacs_fortran)
    set_target_properties(openblacs_fortran PROPERTIES
      EXPORT_NAME fortran Fortran_MODULE_DIRECTORY ${OB_FMOD_BUILD_DIR})
    target_include_directories(openblacs_fortran INTERFACE
      $<BUILD_INTERFACE:${OB_FMOD_BUILD_DIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_LIBDIR}/openblacs/fortran>)
    target_link_libraries(openblacs_fortran PUBLIC openblacs)
    ob_fortran_module(icc "${OB_ICC_MODULE}" openblacs_icc)
    set_target_properties(openblacs_icc_fortran PROPERTIES OUTPUT_NAME icc_fortran)
    ob_fortran_source(picl picl OB_PICL_MODULE)
    ob_fortran_module(picl "${OB_PICL_MODULE}" openblacs_picl)
    set_target_properties(openblacs_picl_fortran PROPERTIES OUTPUT_NAME picl_fortran)
    ob_fortran_source(bsp bsp2d OB_BSP2D_MODULE)
    ob_fortran_module(bsp "${OB_BSP2D_MODULE}" openblacs_bsp)
    if(TARGET openblacs_lu)
      ob_fortran_source(../lu bsp_lu OB_BSP_LU_MODULE)
      ob_fortran_module(lu "${OB_BSP_LU_MODULE}" openblacs_lu)
      target_link_libraries(openblacs_lu_fortran PUBLIC openblacs_bsp_fortran openblacs_fortran)
    endif()
  else()
    message(STATUS "no Fortran compiler: the Fortran modules are not built")
  endif()
endif()
