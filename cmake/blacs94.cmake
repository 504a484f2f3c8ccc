# libblacs94: the interface of LAWN 73 without contexts, on libopenblacs. Shared alone: its
# routines have names that libopenblacs has too, which an archive could not keep apart.
add_library(openblacs_blacs94 SHARED ${PROJECT_SOURCE_DIR}/interfaces/blacs94/blacs94.c)
target_link_libraries(openblacs_blacs94 PUBLIC openblacs)
target_include_directories(openblacs_blacs94 PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_definitions(openblacs_blacs94 PRIVATE OPENBLACS_BUILDING _GNU_SOURCE)
set_target_properties(openblacs_blacs94 PROPERTIES OUTPUT_NAME blacs94 VERSION ${PROJECT_VERSION}
                      SOVERSION 0 INSTALL_RPATH "$ORIGIN" EXPORT_NAME blacs94)
add_library(openblacs::blacs94 ALIAS openblacs_blacs94)
