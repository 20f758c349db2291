#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures all goals of Espalier; see scorecard.sh --help.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/scorecard.py" "$@"
