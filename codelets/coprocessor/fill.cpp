// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/entries.hpp"

namespace espalier::coprocessor {

void fill(MessageReader /*message*/, TaskData data, const Desk& /*desk*/) { fill_zero(data[0]); }

}  // namespace espalier::coprocessor
