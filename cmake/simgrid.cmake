# The build for simulations, chosen by CMAKE_C_COMPILER=smpicc: one static library
# with the MPI module in it, the bench of bench/sim and the conformance programs.
# There are no shared objects, since the simulator gives each process a copy of the
# variables of the program alone; no obrun, no Fortran, nothing to install.
set(OPENBLACS_SIMGRID ON)
list(FILTER OPENBLACS_SOURCES EXCLUDE REGEX
     "/(node/wait|transport/mpi/mpi_load|transport/mpi/mpi_link|transport/mpi/mpi_parts|transport/mpi/mpi_note|transport/mpi/mpi_clock|transport/mpi/mpi_leave)\\.c$")
list(APPEND OPENBLACS_SOURCES src/transport/mpi/module.c src/transport/mpi/module_comms.c)

# smpicc puts a header in front of each file, whose <unistd.h> has a function `link`.
# These files are linked but never run there; defining its guard keeps it out.
file(GLOB OB_UNUSED src/node/*.c src/transport/channel/*.c src/launch/*.c)
set_source_files_properties(${OB_UNUSED} PROPERTIES COMPILE_DEFINITIONS SMPI_HELPERS_H)

# A program for smpirun. Each simulated process loads a copy of the file, so it
# carries no symbols.
function(ob_simulated name source)
  add_executable(${name} ${source})
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE openblacs_static m)
  target_link_options(${name} PRIVATE -s)
  # smpirun looks for main in it as in a plug-in.
  set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET default)
endfunction()

# The LU of bench/sim/lu.c: in supersteps, and ScaLAPACK's over OpenBLACS and over the BLACS within
# OPENBLACS_SIM_SCALAPACK, a static libscalapack made with smpicc. Its local work is charged.
set(OPENBLACS_SIM_SCALAPACK "" CACHE FILEPATH "static libscalapack, compiled with smpicc")
find_library(OPENBLACS_BLAS openblas)
mark_as_advanced(OPENBLACS_BLAS)
function(ob_simulated_lu name)
  ob_simulated(${name} ${PROJECT_SOURCE_DIR}/bench/sim/lu.c)
  foreach(routine dgemm_ dtrsm_ dger_ dscal_ dgetrf_)
    target_link_options(${name} PRIVATE LINKER:--wrap=${routine})
  endforeach()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/sim)
endfunction()

function(ob_simulated_lus)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lu/*.c ${PROJECT_SOURCE_DIR}/interfaces/bsp/*.c)
  set_source_files_properties(${sources} PROPERTIES COMPILE_DEFINITIONS OPENBLACS_BUILDING)
  ob_simulated_lu(lu_bsp)
  target_sources(lu_bsp PRIVATE ${sources})
  target_link_libraries(lu_bsp PRIVATE ${OPENBLACS_BLAS})
  if(NOT OPENBLACS_SIM_SCALAPACK)
    return()
  endif()
  foreach(name lu_scalapack lu_netlib)
    ob_simulated_lu(${name})
    target_compile_definitions(${name} PRIVATE SCALAPACK)
  endforeach()
  # Only the first has OpenBLACS before it, all of it.
  set_target_properties(lu_scalapack PROPERTIES LINK_LIBRARIES
    "-Wl,--whole-archive;openblacs_static;-Wl,--no-whole-archive;${OPENBLACS_SIM_SCALAPACK};${OPENBLACS_BLAS};gfortran;m")
  set_target_properties(lu_netlib PROPERTIES LINK_LIBRARIES
                        "${OPENBLACS_SIM_SCALAPACK};${OPENBLACS_BLAS};gfortran;m")
endfunction()

function(ob_simgrid_targets)
  # Our own memory is never folded, but for payload (mpi_sim.c).
  target_compile_definitions(openblacs_objects PRIVATE OPENBLACS_SIMGRID SMPI_NO_OVERRIDE_MALLOC
                             OB_MPI_NAME="simgrid")
  add_library(openblacs_static STATIC $<TARGET_OBJECTS:openblacs_objects>)
  set_target_properties(openblacs_static PROPERTIES OUTPUT_NAME openblacs)
  target_link_libraries(openblacs_static PRIVATE Threads::Threads m)
  if(OPENBLACS_BENCH)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/sim/*.c)
    list(FILTER sources EXCLUDE REGEX "/lu\\.c$")
    if(OPENBLACS_BLAS)
      ob_simulated_lus()
    else()
      message(STATUS "bench/sim: no OpenBLAS, the LU is left out")
    endif()
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      ob_simulated(sim_${name} ${source})
      set_target_properties(sim_${name} PROPERTIES OUTPUT_NAME ${name}
                            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/sim)
    endforeach()
  endif()
  if(OPENBLACS_TESTS)
    foreach(room core blacs)
      file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${room}/*.c)
      foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        ob_simulated(${room}_${name} ${source})
      endforeach()
    endforeach()
  endif()
endfunction()
