#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Everything that Espalier is judged by, from one run; scorecard.sh --help explains how.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/scorecard.py" "$@"
