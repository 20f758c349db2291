// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <clocale>

namespace espalier::internal {

/// While this object lives, the calling thread has the C locale, so that numbers have a decimal
/// point even if the application has chosen another locale. The locale stays as it is if there is
/// no memory for another one.
class CLocale {
 public:
  CLocale() : own_(newlocale(LC_ALL_MASK, "C", nullptr)) {
    if (own_ != nullptr) before_ = uselocale(own_);
  }
  ~CLocale() {
    if (own_ == nullptr) return;
    uselocale(before_);
    freelocale(own_);
  }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  locale_t own_;
  locale_t before_ = nullptr;
};

}  // namespace espalier::internal
