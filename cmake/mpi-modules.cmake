# The MPI modules: src/transport/mpi/module.c and module_comms.c compiled once for each MPI library
# at hand, into mpi-openmpi.so, mpi-mpich.so (MPICH and its kin). The library loads
# the right one at run time and is itself linked with no MPI. Included by the
# top CMakeLists.txt; sets OPENBLACS_MPI_MODULES to the targets made.
set(OPENBLACS_MPICC "" CACHE STRING
  "Compiler wrapper of a further MPI library; it takes the place of the packaged one of its kind")
set(OPENBLACS_MPI_MODULES "")

# Splits a wrapper's answer into compile options, link options. Both kinds of
# wrapper are asked in their own words. What is no option of that kind, such as the
# compiler's name with which MPICH's answer begins, is left out.
function(ob_ask_wrapper wrapper compile link)
  execute_process(COMMAND ${wrapper} --showme:compile OUTPUT_VARIABLE c ERROR_QUIET
    RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed EQUAL 0)
    execute_process(COMMAND ${wrapper} --showme:link OUTPUT_VARIABLE l ERROR_QUIET
      RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  else()
    execute_process(COMMAND ${wrapper} -compile_info OUTPUT_VARIABLE c ERROR_QUIET
      RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${wrapper} -link_info OUTPUT_VARIABLE l ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(NOT failed EQUAL 0)
    set(${compile} NOTFOUND PARENT_SCOPE)
    return()
  endif()
  separate_arguments(c UNIX_COMMAND "${c}")
  separate_arguments(l UNIX_COMMAND "${l}")
  list(FILTER c INCLUDE REGEX "^-[ID]")
  list(FILTER l INCLUDE REGEX "^-[Ll]|^-Wl,-rpath|^-Wl,--enable-new-dtags|^-pthread|^/")
  set(${compile} "${c}" PARENT_SCOPE)
  set(${link} "${l}" PARENT_SCOPE)
endfunction()

# Which library a wrapper belongs to, by what its mpi.h defines.
function(ob_mpi_kind compile kind)
  set(probe ${PROJECT_BINARY_DIR}/mpi-kind.c)
  file(WRITE ${probe} "#include <mpi.h>\n#if defined(OPEN_MPI)\nob_kind_openmpi\n"
    "#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION)\nob_kind_mpich\n"
    "#else\nob_kind_mpi\n#endif\n")
  execute_process(COMMAND ${CMAKE_C_COMPILER} ${compile} -E ${probe} OUTPUT_VARIABLE text
    ERROR_QUIET RESULT_VARIABLE failed)
  set(${kind} NOTFOUND PARENT_SCOPE)
  if(failed EQUAL 0 AND text MATCHES "ob_kind_([a-z]+)")
    set(${kind} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

function(ob_add_mpi_module name compile link)
  set(target openblacs_mpi_${name})
  add_library(${target} MODULE ${PROJECT_SOURCE_DIR}/src/transport/mpi/module.c
              ${PROJECT_SOURCE_DIR}/src/transport/mpi/module_comms.c)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE ${compile})
  target_compile_definitions(${target} PRIVATE OB_MPI_NAME="${name}")
  target_link_libraries(${target} PRIVATE ${link})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME mpi-${name}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# wanted: the kind of library to expect, or "" to ask the wrapper.
function(ob_try_mpi_wrapper wrapper wanted)
  string(MAKE_C_IDENTIFIER "OPENBLACS_WRAPPER_${wrapper}" variable)
  find_program(${variable} ${wrapper})
  mark_as_advanced(${variable})
  set(found ${${variable}})
  if(NOT found)
    message(STATUS "MPI module: no ${wrapper} here, left out")
    return()
  endif()
  ob_ask_wrapper(${found} compile link)
  if("${compile}" STREQUAL NOTFOUND)
    message(STATUS "MPI module: ${found} does not tell its options, left out")
    return()
  endif()
  ob_mpi_kind("${compile}" kind)
  if(NOT kind)
    message(STATUS "MPI module: ${found} finds no mpi.h, left out")
    return()
  endif()
  if(wanted AND NOT kind STREQUAL wanted)
    message(STATUS "MPI module: ${found} belongs to ${kind}, not ${wanted}, left out")
    return()
  endif()
  if(TARGET openblacs_mpi_${kind})
    message(STATUS "MPI module: mpi-${kind}.so is made already, ${found} left out")
    return()
  endif()
  ob_add_mpi_module(${kind} "${compile}" "${link}")
  message(STATUS "MPI module: mpi-${kind}.so with ${found}")
  set(OPENBLACS_MPI_MODULES ${OPENBLACS_MPI_MODULES} openblacs_mpi_${kind} PARENT_SCOPE)
  set(OPENBLACS_MPI_WRAPPER_${kind} ${found} PARENT_SCOPE)
  set(OPENBLACS_MPI_COMPILE_${kind} "${compile}" PARENT_SCOPE)
  set(OPENBLACS_MPI_LINK_${kind} "${link}" PARENT_SCOPE)
endfunction()

if(OPENBLACS_MPICC)
  ob_try_mpi_wrapper(${OPENBLACS_MPICC} "")
endif()
ob_try_mpi_wrapper(mpicc.openmpi openmpi)
ob_try_mpi_wrapper(mpicc.mpich mpich)
if(NOT OPENBLACS_MPI_MODULES)
  ob_try_mpi_wrapper(mpicc "")
endif()
if(NOT OPENBLACS_MPI_MODULES)
  message(STATUS "MPI module: none; the library will run under obrun and alone only")
endif()
