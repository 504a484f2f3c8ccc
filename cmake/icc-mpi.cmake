# libicc-mpi-openmpi.so and libicc-mpi-mpich.so, to be preloaded into MPI programs: the
# sources of interfaces/mpi compiled once for each MPI library that has a module.
# Included by the top CMakeLists.txt; sets OPENBLACS_ICC_MPI_TARGETS.
file(GLOB OB_SHIM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/interfaces/mpi/*.c)
set(OPENBLACS_ICC_MPI_TARGETS "")
foreach(module ${OPENBLACS_MPI_MODULES})
  string(REPLACE openblacs_mpi_ "" kind ${module})
  set(target openblacs_icc_mpi_${kind})
  add_library(${target} SHARED ${OB_SHIM_SOURCES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME icc-mpi-${kind} INSTALL_RPATH "$ORIGIN")
  target_compile_options(${target} PRIVATE ${OPENBLACS_MPI_COMPILE_${kind}})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  # The MPI library is named even where the linker would leave out what seems unused.
  target_link_options(${target} PRIVATE -Wl,--no-as-needed)
  target_link_libraries(${target} PRIVATE openblacs ${OPENBLACS_MPI_LINK_${kind}}
                        Threads::Threads ${CMAKE_DL_LIBS} m)
  list(APPEND OPENBLACS_ICC_MPI_TARGETS ${target})
endforeach()
