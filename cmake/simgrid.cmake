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
       "/(node/wait|transport/mpi/mpi_load|transport/mpi/mpi_link|transport/mpi/mpi_parts|transport/mpi/mpi_note|transport/mpi/mpi_clock|transport/mpi/mpi_leave)\\.c$")
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

# The LU of bench/sim/lu.c: in supersteps, and ScaLAPACK's over OpenBLACS and over the BLACS within
# OPENBLACS_SIM_SCALAPACK, a static libscalapack made with smpicc. Its local work is charged.
set(OPENBLACS_SIM_SCALAPACK "" CACHE FILEPATH "static libscalapack, compiled with smpicc")
find_library(OPENBLACS_BLAS openblas)
mark_as_advanced(OPENBLACS_BLAS)
function(ob_simulated_lu name)
  ob_simulated(${name} ${PROJECT_SOURCE_DIR}/bench/sim/lu.c ${ARGN})
  foreach(routine dgemm_ dtrsm_ dger_ dscal_ dgetrf_)
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

function(ob_simulated_lus)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lu/*.c ${PROJECT_SOURCE_DIR}/interfaces/bsp/*.c)
  set_source_files_properties(${sources} PROPERTIES COMPILE_DEFINITIONS OPENBLACS_BUILDING)
  ob_simulated_lu(lu_bsp)
  target_sources(openblacs_lu_bsp PRIVATE ${sources})
  target_link_libraries(openblacs_lu_bsp PRIVATE ${OPENBLACS_BLAS})
  if(NOT OPENBLACS_SIM_SCALAPACK)
    return()
  endif()
  ob_simulated_lu(lu_scalapack DEFINE SCALAPACK)
  ob_simulated_lu(lu_netlib DEFINE SCALAPACK)
  # Only the first has OpenBLACS before it, all of it.
  set_target_properties(openblacs_lu_scalapack PROPERTIES LINK_LIBRARIES
    "-Wl,--whole-archive;openblacs;-Wl,--no-whole-archive;${OPENBLACS_SIM_SCALAPACK};${OPENBLACS_BLAS};gfortran;m")
  ob_simulated_over_netlib(lu_netlib)
endfunction()

add_subdirectory(src)
# Our own memory is never folded, but for payload (mpi_sim.c).
target_compile_definitions(openblacs_objects PRIVATE OPENBLACS_SIMGRID SMPI_NO_OVERRIDE_MALLOC
                           OB_MPI_NAME="simgrid")
if(OPENBLACS_BENCH)
  file(GLOB sources CONFIGURE_DEPENDS bench/sim/*.c)
  list(FILTER sources EXCLUDE REGEX "/lu\\.c$")
  if(OPENBLACS_BLAS)
    ob_simulated_lus()
  else()
    message(STATUS "bench/sim: no OpenBLAS, the LU is left out")
  endif()
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
endif()
