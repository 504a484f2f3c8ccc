# obbench, and for each MPI library at hand a small module with its plain calls,
# which obbench loads when it runs under that library's mpirun. Included by the
# top CMakeLists.txt behind the MPI modules of the library.
file(RELATIVE_PATH OBB_MODULE_WAY /prefix/${CMAKE_INSTALL_BINDIR}
     /prefix/${CMAKE_INSTALL_LIBDIR}/openblacs)
file(GLOB OBB_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/obbench/*.c
     ${PROJECT_SOURCE_DIR}/tools/obbench/predict/*.c)
add_executable(obbench ${OBB_SOURCES})
target_include_directories(obbench PRIVATE ${PROJECT_SOURCE_DIR}/tools)
target_compile_definitions(obbench PRIVATE _GNU_SOURCE OBB_MODULE_WAY="${OBB_MODULE_WAY}")
target_link_libraries(obbench PRIVATE openblacs ${CMAKE_DL_LIBS} m)

set(OPENBLACS_PLAIN_MPI_MODULES "")
foreach(module ${OPENBLACS_MPI_MODULES})
  string(REPLACE openblacs_mpi_ "" kind ${module})
  set(target obbench_mpi_${kind})
  add_library(${target} MODULE ${PROJECT_SOURCE_DIR}/bench/obbench_mpi.c)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR}/tools)
  target_compile_options(${target} PRIVATE ${OPENBLACS_MPI_COMPILE_${kind}})
  target_compile_definitions(${target} PRIVATE OBB_MPI_NAME="${kind}")
  target_link_libraries(${target} PRIVATE ${OPENBLACS_MPI_LINK_${kind}})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME obbench-${kind}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  list(APPEND OPENBLACS_PLAIN_MPI_MODULES ${target})
endforeach()
