# libpicl, the PICL interface: shared and static, on libopenblacs. Included by the top
# CMakeLists.txt after the target openblacs.
file(GLOB OB_PICL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/interfaces/picl/*.c)
add_library(openblacs_picl SHARED ${OB_PICL_SOURCES})
add_library(openblacs_picl_static STATIC ${OB_PICL_SOURCES})
target_link_libraries(openblacs_picl PUBLIC openblacs)
target_link_libraries(openblacs_picl_static PUBLIC openblacs_static)
foreach(target openblacs_picl openblacs_picl_static)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME picl)
  target_compile_definitions(${target} PRIVATE OPENBLACS_BUILDING _GNU_SOURCE)
endforeach()
set_target_properties(openblacs_picl PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
                      INSTALL_RPATH "$ORIGIN" EXPORT_NAME picl)
set_target_properties(openblacs_picl_static PROPERTIES EXPORT_NAME picl_static)
add_library(openblacs::picl ALIAS openblacs_picl)
add_library(openblacs::picl_static ALIAS openblacs_picl_static)
