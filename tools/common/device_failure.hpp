// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier {

/// From now on the program ends with one line and code 7 where StarPU aborts it because a CUDA
/// device failed under its hands, as in a copy. StarPU itself may have told more before.
void tell_device_failures();

}  // namespace espalier
