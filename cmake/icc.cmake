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
set_target_properties(openblacs_icc PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
                      INSTALL_RPATH "$ORIGIN")
set_target_properties(openblacs_icc PROPERTIES EXPORT_NAME icc)
set_target_properties(openblacs_icc_static PROPERTIES EXPORT_NAME icc_static)
add_library(openblacs::icc ALIAS openblacs_icc)
add_library(openblacs::icc_static ALIAS openblacs_icc_static)
