#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Times Espalier and other solvers side by side; see peers.sh --help.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/peers.py" "$@"
