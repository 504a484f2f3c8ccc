# Two builds of the same sources are equal byte for byte, wherever their folders are (tests/install/equal.sh):
# no file holds their names, and programs in the build folder find the libraries by $ORIGIN. A build for a debugger
# (CMAKE_BUILD_TYPE=Debug) keeps the names, so that the debugger finds the sources.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
if(OB_WHOLE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-ffile-prefix-map=/a=b OB_HAS_PREFIX_MAP)
  if(OB_HAS_PREFIX_MAP)
    # The last one that fits counts; a build folder may lie in the sources.
    add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
  endif()
endif()
