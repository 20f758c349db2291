// SPDX-License-Identifier: BSD-3-Clause
#include "base/options.hpp"
#include "solver/data.hpp"
#include "solver/shared_starpu.hpp"

namespace espalier {

using namespace internal;

Runtime::Runtime(std::unique_ptr<RuntimeData> data) : data_(std::move(data)) {}

Runtime::Runtime(const RuntimeOptions& options) {
  validate(options);
  data_.reset(new RuntimeData{std::make_unique<StarpuInstance>(options)});
}

Runtime Runtime::inside_application() {
  return Runtime(std::unique_ptr<RuntimeData>(new RuntimeData{std::make_unique<StarpuInstance>()}));
}

Runtime Runtime::shared(const RuntimeOptions& options) {
  validate(options);
  return Runtime(std::unique_ptr<RuntimeData>(new RuntimeData{shared_starpu(options)}));
}

Runtime::~Runtime() = default;
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;

Index Runtime::cpu_workers() const { return data_->starpu->cpu_workers(); }
std::string Runtime::scheduler() const { return data_->starpu->active_scheduler(); }

}  // namespace espalier
