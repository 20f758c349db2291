#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Says where the time of one run goes; profile.sh --help explains how.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/profile_run.py" "$@"
