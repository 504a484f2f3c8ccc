# obtrace, which looks at traces. The page of its report is put into the program.
# Included by the top CMakeLists.txt.
file(GLOB OBT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/obtrace/*.c)

# The Open Trace Format 2, where its library is there (of version 3, whose calls have more
# arguments than those of 2).
option(OPENBLACS_OTF2 "Let obtrace read and write OTF2 where libotf2 is found" ON)
if(OPENBLACS_OTF2)
  include(CheckCSourceCompiles)
  find_path(OTF2_INCLUDE_DIR otf2/otf2.h)
  find_library(OTF2_LIBRARY NAMES otf2 open-trace-format2)
  if(OTF2_INCLUDE_DIR AND OTF2_LIBRARY)
    set(CMAKE_REQUIRED_INCLUDES ${OTF2_INCLUDE_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${OTF2_LIBRARY})
    check_c_source_compiles("#include <otf2/otf2.h>
      int main(void) { return OTF2_GlobalDefWriter_WriteClockProperties(0, 1, 0, 1, 0); }" OB_OTF2_FITS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
  endif()
endif()
if(OB_OTF2_FITS)
  list(FILTER OBT_SOURCES EXCLUDE REGEX "otf2_none")
else()
  list(FILTER OBT_SOURCES EXCLUDE REGEX "otf2_(read|take|write)")
  message(STATUS "obtrace without OTF2")
endif()

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
if(OB_OTF2_FITS)
  target_include_directories(obtrace SYSTEM PRIVATE ${OTF2_INCLUDE_DIR})
  target_link_libraries(obtrace PRIVATE ${OTF2_LIBRARY})
  if(OPENBLACS_TESTS)
    add_executable(obtrace_otf2_other tests/obtrace/otf2_other.c)
    target_include_directories(obtrace_otf2_other SYSTEM PRIVATE ${OTF2_INCLUDE_DIR})
    target_link_libraries(obtrace_otf2_other PRIVATE ${OTF2_LIBRARY})
    set_target_properties(obtrace_otf2_other PROPERTIES
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  endif()
endif()
