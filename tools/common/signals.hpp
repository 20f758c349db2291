// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier {

/// From now on SIGINT (Ctrl-C), SIGTERM and SIGHUP end the program with 128 plus their number,
/// leaving no partial file (see OutputSection). A signal that is ignored stays so. Call it once.
void exit_on_signals();

/// Lives while an output file is written. A signal that comes then does not end the program at
/// once: it makes the write fail as a full disk would, so that the file is removed on the usual
/// way, and ends the program after that.
class OutputSection {
 public:
  OutputSection();
  ~OutputSection();
  OutputSection(const OutputSection&) = delete;
  OutputSection& operator=(const OutputSection&) = delete;
};

}  // namespace espalier
