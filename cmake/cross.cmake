# A cross build with one of Debian's compilers (gcc-aarch64-linux-gnu and the like), for CMake's option
# --toolchain or a preset cross-*: OPENBLACS_CROSS is the compiler's prefix. Programs of the build run under
# qemu-user, with the libraries that Debian's packages have for the compiler.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OPENBLACS_CROSS)
if(NOT OPENBLACS_CROSS MATCHES "^([a-z0-9_]+)-linux-gnu[a-z]*$")
  message(FATAL_ERROR "cmake/cross.cmake: OPENBLACS_CROSS='${OPENBLACS_CROSS}', must be a prefix such as aarch64-linux-gnu")
endif()
set(OB_CROSS_PROCESSOR ${CMAKE_MATCH_1})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${OB_CROSS_PROCESSOR})
set(CMAKE_C_COMPILER ${OPENBLACS_CROSS}-gcc)
string(REPLACE powerpc ppc OB_CROSS_PROCESSOR ${OB_CROSS_PROCESSOR})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${OB_CROSS_PROCESSOR} -L /usr/${OPENBLACS_CROSS})
# What is found is the other machine's, or nothing.
set(CMAKE_FIND_ROOT_PATH /usr/${OPENBLACS_CROSS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} /usr/${OPENBLACS_CROSS}/lib/pkgconfig)
