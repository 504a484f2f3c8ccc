# obtrace, which looks at traces. Included by the top CMakeLists.txt.
file(GLOB OBT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/obtrace/*.c)
add_executable(obtrace ${OBT_SOURCES})
target_include_directories(obtrace PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(obtrace PRIVATE _GNU_SOURCE OBT_VERSION="${PROJECT_VERSION}")
target_link_libraries(obtrace PRIVATE m)
