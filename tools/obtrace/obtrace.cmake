# obtrace, which looks at traces. The page of its report is put into the program.
# Included by the top CMakeLists.txt.
file(GLOB OBT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/obtrace/*.c)
set(OBT_REPORT ${PROJECT_SOURCE_DIR}/tools/obtrace/report)
set(OBT_FILES ${OBT_REPORT}/page.html ${OBT_REPORT}/style.css ${OBT_REPORT}/data.js
    ${OBT_REPORT}/tools.js ${OBT_REPORT}/timeline.js ${OBT_REPORT}/charts.js ${OBT_REPORT}/main.js)
set(OBT_PAGE ${PROJECT_BINARY_DIR}/obtrace_page.c)
add_custom_command(OUTPUT ${OBT_PAGE}
  COMMAND ${CMAKE_COMMAND} "-DFILES=${OBT_FILES}" -DOUTPUT=${OBT_PAGE}
          -P ${PROJECT_SOURCE_DIR}/tools/obtrace/embed.cmake
  DEPENDS ${OBT_FILES} ${PROJECT_SOURCE_DIR}/tools/obtrace/embed.cmake VERBATIM)
add_executable(obtrace ${OBT_SOURCES} ${OBT_PAGE})
target_include_directories(obtrace PRIVATE ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_SOURCE_DIR}/tools/obtrace)
target_compile_definitions(obtrace PRIVATE _GNU_SOURCE OBT_VERSION="${PROJECT_VERSION}")
target_link_libraries(obtrace PRIVATE m)
