# SPDX-License-Identifier: BSD-3-Clause
# Installs texts that the program writes about itself: manual pages, and completion scripts in the folders of the shells.
# Needs espalier_program (path of the program), espalier_scratch (a temporary folder), and the destinations espalier_data
# and espalier_man.

function(espalier_said_by_program file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  execute_process(COMMAND "${espalier_program}" ${ARGN} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${espalier_scratch}")
execute_process(COMMAND "${espalier_program}" man --out "${espalier_scratch}/man1" COMMAND_ERROR_IS_FATAL ANY)
espalier_said_by_program("${espalier_scratch}/share/bash-completion/completions/espalier" completion bash)
espalier_said_by_program("${espalier_scratch}/share/zsh/site-functions/_espalier" completion zsh)
espalier_said_by_program("${espalier_scratch}/share/fish/vendor_completions.d/espalier.fish" completion fish)
file(INSTALL "${espalier_scratch}/man1" DESTINATION "${espalier_man}")
file(INSTALL "${espalier_scratch}/share/" DESTINATION "${espalier_data}")
