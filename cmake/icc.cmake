# libicc, the iCC interface: shared and static, on libopenblacs. Included by the top
# CMakeLists.txt after the target openblacs.
file(GLOB OB_ICC_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/interfaces/icc/*.c)
add_library(openblacs_icc SHARED ${OB_ICC_SOURCES})
add_library(openblacs_icc_static STATIC ${OB_ICC_SOURCES})
target_link_libraries(openblacs_icc PUBLIC openblacs)
target_link_libraries(openblacs_icc_static PUBLIC openblacs_static)
foreach(target openblacs_icc openblacs_icc_static)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME icc)
  target_compile_definitions(${target} PRIVATE OPENBLACS_BUILDING _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE Threads::Threads)
endforeach()
# Its loops are written for the vectoriser.
set_source_files_properties(${PROJECT_SOURCE_DIR}/interfaces/icc/combine.c
                            PROPERTIES COMPILE_OPTIONS -O3)
set_target_properties(openblacs_icc PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
                      INSTALL_RPATH "$ORIGIN")
set_target_properties(openblacs_icc PROPERTIES EXPORT_NAME icc)
set_target_properties(openblacs_icc_static PROPERTIES EXPORT_NAME icc_static)
add_library(openblacs::icc ALIAS openblacs_icc)
add_library(openblacs::icc_static ALIAS openblacs_icc_static)

# The module's source: one pattern for each combine of icc.h's table.
set(OB_ICC_MODULE ${PROJECT_BINARY_DIR}/fortran/icc.f90)
set(ICC_COMBINES "")
foreach(row isum:integer iprod:integer ihigh:integer ilow:integer iand:integer ior:integer
            ixor:integer land:logical lor:logical lxor:logical ssum:real sprod:real shigh:real
            slow:real "dsum:double precision" "dprod:double precision" "dhigh:double precision"
            "dlow:double precision" csum:complex cprod:complex "zsum:complex(kind(1d0))"
            "zprod:complex(kind(1d0))")
  string(REGEX MATCH "^([a-z]+):(.*)$" row "${row}")
  set(ICC_NAME ${CMAKE_MATCH_1})
  set(ICC_TYPE "${CMAKE_MATCH_2}")
  configure_file(${PROJECT_SOURCE_DIR}/interfaces/icc/combine.f90.in
                 ${PROJECT_BINARY_DIR}/fortran/icc_combine.f90 @ONLY)
  file(READ ${PROJECT_BINARY_DIR}/fortran/icc_combine.f90 text)
  string(APPEND ICC_COMBINES "${text}")
endforeach()
file(REMOVE ${PROJECT_BINARY_DIR}/fortran/icc_combine.f90)
configure_file(${PROJECT_SOURCE_DIR}/interfaces/icc/icc.f90.in ${OB_ICC_MODULE} @ONLY)
