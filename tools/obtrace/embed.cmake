# Puts files into a C source as texts:
#   cmake -DFILES="a.js;b.css" -DOUTPUT=x.c -P embed.cmake
# report/data.js becomes `const char obt_data_js[]`.
set(text "/* Made by embed.cmake from report/. */\n#include \"analysis.h\"\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND text "const char obt_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
