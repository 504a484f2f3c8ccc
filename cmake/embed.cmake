# Puts files into a C source as texts:
#   cmake -DFILES="a.js;b.css" -DHEADER=x.h -DPREFIX=obt_ -DOUTPUT=x.c -P embed.cmake
# report/data.js becomes `const char obt_data_js[]`, which the header declares.
set(text "/* Made by embed.cmake. */\n#include \"${HEADER}\"\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND text "const char ${PREFIX}${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
