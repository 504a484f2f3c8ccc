# The Python package (python/openblacs): no compiler, only files. One folder for all versions of Python;
# where the Python of the prefix looks elsewhere, a file there leads to it.
set(OPENBLACS_PYTHON_DIR lib/python3/dist-packages CACHE STRING
    "Where the Python package goes, below the prefix; OFF: nowhere")
if(NOT OPENBLACS_PYTHON_DIR)
  return()
endif()

# From the package to the libraries and to obrun, so that a prefix may be moved.
file(RELATIVE_PATH LIBRARIES /prefix/${OPENBLACS_PYTHON_DIR}/openblacs /prefix/${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH PROGRAMS /prefix/${OPENBLACS_PYTHON_DIR}/openblacs /prefix/${CMAKE_INSTALL_BINDIR})
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(LIBRARIES ${CMAKE_INSTALL_LIBDIR})
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
  set(PROGRAMS ${CMAKE_INSTALL_BINDIR})
endif()
file(WRITE ${PROJECT_BINARY_DIR}/python/_installed.py
  "# From this package to the libraries and the programs that belong to it.\nLIBRARIES = \"${LIBRARIES}\"\nPROGRAMS = \"${PROGRAMS}\"\n")
install(DIRECTORY python/openblacs DESTINATION ${OPENBLACS_PYTHON_DIR}
  FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/python/_installed.py DESTINATION ${OPENBLACS_PYTHON_DIR}/openblacs)

# A Python searches some prefixes beside its own: Debian's that of /usr/local.
find_program(OB_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OB_PYTHON python3)
mark_as_advanced(OB_PYTHON)
if(OB_PYTHON AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND NOT CMAKE_CROSSCOMPILING)
  execute_process(COMMAND ${OB_PYTHON} -c "import sys\nprefix = sys.argv[1] + '/'\nprint(next((p[len(prefix):] for p in sys.path if p.startswith(prefix) and p.endswith('-packages')), ''))"
    ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(found AND NOT found STREQUAL OPENBLACS_PYTHON_DIR)
    file(RELATIVE_PATH there /prefix/${found} /prefix/${OPENBLACS_PYTHON_DIR})
    file(WRITE ${PROJECT_BINARY_DIR}/python/openblacs.pth "${there}\n")
    install(FILES ${PROJECT_BINARY_DIR}/python/openblacs.pth DESTINATION ${found})
  endif()
endif()
