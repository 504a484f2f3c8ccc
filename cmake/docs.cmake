# cmake --build BUILD --target docs: the site, in BUILD/html (site/build.py). What it needs is looked for when it is
# built, and what is missing has a line then. An installation takes it along where it has been built.
find_program(OB_SITE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OB_SITE_PYTHON python3)
mark_as_advanced(OB_SITE_PYTHON)
if(OB_SITE_PYTHON)
  add_custom_target(docs COMMAND ${OB_SITE_PYTHON} ${PROJECT_SOURCE_DIR}/site/build.py ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/html
    VERBATIM)
else()
  add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E echo "docs: python3 is missing" COMMAND ${CMAKE_COMMAND} -E false)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/html DESTINATION ${OB_DOC_DIR} OPTIONAL)
