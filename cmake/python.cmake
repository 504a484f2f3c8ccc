# The Python package (python/openblacs): no compiler, only files. It is installed where the Python of the prefix finds
# it, where that is known, else in lib/python3/dist-packages; -DOPENBLACS_PYTHON_DIR=... says it, OFF leaves it out.
find_program(OB_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OB_PYTHON python3)
set(OB_PYTHON_DEFAULT lib/python3/dist-packages)
if(OB_PYTHON AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND NOT CMAKE_CROSSCOMPILING)
  # A Python searches some prefixes beside its own: Debian's that of /usr/local.
  execute_process(COMMAND ${OB_PYTHON} -c "import sys\nprefix = sys.argv[1] + '/'\nprint(next((p[len(prefix):] for p in sys.path if p.startswith(prefix) and p.endswith('-packages')), ''))"
    ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(found)
    set(OB_PYTHON_DEFAULT ${found})
  endif()
endif()
set(OPENBLACS_PYTHON_DIR "${OB_PYTHON_DEFAULT}" CACHE STRING "Where the Python package goes, below the prefix; OFF: nowhere")
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
