# SPDX-License-Identifier: MIT
# Turns runtime/*.js into one C file: const char rw_runtime_NAME[] and its length, NAME being the file's with _ for others.
set(code "/* Made by recorder/setup/embed.cmake. */\n#include \"rw-runtime.h\"\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND code "const char rw_runtime_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${code}")
