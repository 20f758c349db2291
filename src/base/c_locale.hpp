// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <clocale>

namespace espalier::internal {

/// Gives the calling thread the C locale, in which numbers have a decimal point, for the life of
/// this object: applications choose other locales for all threads. If there is no memory for it,
/// the locale stays.
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
