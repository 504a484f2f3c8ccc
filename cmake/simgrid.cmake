# The build for simulations, chosen by CMAKE_C_COMPILER=smpicc: one static library
# with the MPI module in it, the bench of bench/sim and the conformance programs.
# There are no shared objects, since the simulator gives each process a copy of the
# variables of the program alone; no obrun, no Fortran, nothing to install.
# Included by the top CMakeLists.txt in the place of all that follows there.
set(OPENBLACS_SIMGRID ON)
set(OPENBLACS_INSTALL OFF)
set(OB_SHARED OFF)
set(OB_MAIN_KIND STATIC)

# What of src/ is compiled.
function(ob_simgrid_sources list)
  list(FILTER ${list} EXCLUDE REGEX
       "/(node/wait|transport/mpi/mpi_load|transport/mpi/mpi_elsewhere|transport/mpi/mpi_link|transport/mpi/mpi_parts|transport/mpi/mpi_note|transport/mpi/mpi_clock|transport/mpi/mpi_leave)\\.c$")
  set(${list} ${${list}} transport/mpi/module.c transport/mpi/module_comms.c PARENT_SCOPE)
  # smpicc puts a header in front of each file, whose <unistd.h> has a function `link`.
  # These files are linked but never run there; defining its guard keeps it out.
  file(GLOB unused node/*.c transport/channel/*.c launch/*.c)
  set_source_files_properties(${unused} PROPERTIES COMPILE_DEFINITIONS SMPI_HELPERS_H)
endfunction()

# A program for smpirun. Each simulated process loads a copy of the file, so it
# carries no symbols.
function(ob_simulated name source)
  ob_program(${name} ${source} LINK openblacs m ${ARGN})
  target_link_options(openblacs_${name} PRIVATE -s)
  # smpirun looks for main in it as in a plug-in.
  set_target_properties(openblacs_${name} PROPERTIES C_VISIBILITY_PRESET default)
endfunction()

# Programs whose local work is charged (bench/sim/charged.h). The LU of bench/sim/lu.c: in supersteps, and ScaLAPACK's over OpenBLACS and over the BLACS within
# OPENBLACS_SIM_SCALAPACK, a static libscalapack made with smpicc. And four drivers of ScaLAPACK over
# both (bench/sim/scalapack.c).
set(OPENBLACS_SIM_SCALAPACK "" CACHE FILEPATH "static libscalapack, compiled with smpicc")
find_library(OPENBLACS_BLAS openblas)
mark_as_advanced(OPENBLACS_BLAS)
function(ob_simulated_lu name source)
  ob_simulated(${name} ${PROJECT_SOURCE_DIR}/bench/sim/${source}.c ${ARGN})
  foreach(routine dgemm_ dsymm_ dsyrk_ dsyr2k_ dtrsm_ dtrmm_ dtrmv_ dtrsv_ dgemv_ dsymv_ dger_ dsyr2_ dsyr_ dscal_
                  daxpy_ ddot_ dnrm2_ dgetrf_ dpotrf_ dsteqr_ dlaed4_)
    target_link_options(openblacs_${name} PRIVATE LINKER:--wrap=${routine})
  endforeach()
  set_target_properties(openblacs_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/sim)
endfunction()

# A program over the BLACS within OPENBLACS_SIM_SCALAPACK.
function(ob_simulated_over_netlib name)
  target_include_directories(openblacs_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(openblacs_${name} PROPERTIES LINK_LIBRARIES
                        "${OPENBLACS_SIM_SCALAPACK};${OPENBLACS_BLAS};gfortran;m")
endfunction()

# With OpenBLACS before that library, all of it.
function(ob_simulated_over_openblacs name)
  set_target_properties(openblacs_${name} PROPERTIES LINK_LIBRARIES
    "-Wl,--whole-archive;openblacs;-Wl,--no-whole-archive;${OPENBLACS_SIM_SCALAPACK};${OPENBLACS_BLAS};gfortran;m")
endfunction()

function(ob_simulated_lus)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lu/*.c ${PROJECT_SOURCE_DIR}/interfaces/bsp/*.c)
  set_source_files_properties(${sources} PROPERTIES COMPILE_DEFINITIONS OPENBLACS_BUILDING)
  ob_simulated_lu(lu_bsp lu)
  target_sources(openblacs_lu_bsp PRIVATE ${sources})
  target_link_libraries(openblacs_lu_bsp PRIVATE ${OPENBLACS_BLAS})
  if(NOT OPENBLACS_SIM_SCALAPACK)
    add_library(openblacs_sim_scalapack OBJECT ${PROJECT_SOURCE_DIR}/bench/sim/scalapack.c) # it compiles
    target_include_directories(openblacs_sim_scalapack PRIVATE ${PROJECT_SOURCE_DIR}/include)
    return()
  endif()
  ob_simulated_lu(lu_scalapack lu DEFINE SCALAPACK)
  ob_simulated_lu(lu_netlib lu DEFINE SCALAPACK)
  ob_simulated_lu(scalapack_openblacs scalapack)
  ob_simulated_lu(scalapack_netlib scalapack)
  # Each must stand in bench/sim/scalapack.c: openblacs itself names all of them.
  foreach(routine igebs2d igebr2d igsum2d igamx2d igamn2d igesd2d igerv2d dgebs2d dgebr2d dgsum2d dgamx2d dgamn2d dgesd2d dgerv2d
                  dtrbs2d dtrbr2d)
    foreach(name ${routine}_ C${routine})
      target_link_options(openblacs_scalapack_openblacs PRIVATE LINKER:--wrap=${name})
      target_link_options(openblacs_scalapack_netlib PRIVATE LINKER:--wrap=${name})
    endforeach()
  endforeach()
  foreach(name lu scalapack)
    ob_simulated_over_netlib(${name}_netlib)
  endforeach()
  foreach(name lu_scalapack scalapack_openblacs)
    ob_simulated_over_openblacs(${name})
  endforeach()
endfunction()

# Redistribution (bench/sim/redist.c): ours, and where there is a ScaLAPACK that one's over both BLACS.
function(ob_simulated_redists)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/redist/*.c)
  set_source_files_properties(${sources} PROPERTIES COMPILE_DEFINITIONS OPENBLACS_BUILDING)
  set(program ${PROJECT_SOURCE_DIR}/bench/sim/redist.c)
  ob_simulated(redist_ours ${program})
  target_sources(openblacs_redist_ours PRIVATE ${sources})
  set(all redist_ours)
  if(OPENBLACS_SIM_SCALAPACK AND OPENBLACS_BLAS)
    ob_simulated(redist_scalapack ${program} DEFINE SCALAPACK)
    ob_simulated(redist_netlib ${program} DEFINE SCALAPACK)
    ob_simulated_over_openblacs(redist_scalapack)
    ob_simulated_over_netlib(redist_netlib)
    list(APPEND all redist_scalapack redist_netlib)
  endif()
  foreach(name ${all})
    set_target_properties(openblacs_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/sim)
  endforeach()
endfunction()

add_subdirectory(src)
# Our own memory is never folded, but for payload (mpi_sim.c).
foreach(kind openblacs_objects openblacs_ilp64_objects)
  target_compile_definitions(${kind} PRIVATE OPENBLACS_SIMGRID SMPI_NO_OVERRIDE_MALLOC
                             OB_MPI_NAME="simgrid")
endforeach()
if(OPENBLACS_BENCH)
  file(GLOB sources CONFIGURE_DEPENDS bench/sim/*.c)
  list(FILTER sources EXCLUDE REGEX "/(lu|redist|scalapack)\\.c$")
  if(OPENBLACS_BLAS)
    ob_simulated_lus()
  else()
    message(STATUS "bench/sim: no OpenBLAS, the LU is left out")
  endif()
  ob_simulated_redists()
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    ob_simulated(sim_${name} ${source})
    set_target_properties(openblacs_sim_${name} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/sim)
  endforeach()
  if(OPENBLACS_SIM_SCALAPACK)
    ob_simulated(letters_netlib bench/sim/letters.c)
    ob_simulated_over_netlib(letters_netlib)
    set_target_properties(openblacs_letters_netlib PROPERTIES
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/sim)
  endif()
endif()
if(OPENBLACS_TESTS)
  foreach(room core blacs)
    file(GLOB sources CONFIGURE_DEPENDS tests/${room}/*.c)
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      ob_simulated(${room}_${name} ${source})
    endforeach()
  endforeach()
  ob_simulated(obtrace_patterns tests/obtrace/patterns.c)
endif()
