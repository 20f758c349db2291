#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints the distribution of the time of one run; see profile.sh --help.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/profile_run.py" "$@"
