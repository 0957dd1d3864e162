# SPDX-License-Identifier: MIT
# Turns the assets into one C file: const char rw_asset_report_css[] and so on, each NUL-terminated.
set(code "/* Made by reporter/assets/embed.cmake. */\n#include \"rw-assets.h\"\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND code "const char rw_asset_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${code}")
