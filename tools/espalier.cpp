// SPDX-License-Identifier: BSD-3-Clause
#include "commands/program.hpp"

int main(int argc, char** argv) { return espalier::internal::run_program(argc, argv); }
