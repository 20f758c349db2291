// SPDX-License-Identifier: BSD-3-Clause
#include "chart/svg.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace espalier::internal {

namespace {

constexpr std::array anchors{"start", "middle", "end"};

std::string class_attribute(std::string_view css_class) {
  return css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class);
}

/// Returns the smallest number not below `least` that is 1, 2 or 5 times a power of ten.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      // Names of files may contain control characters and bytes that are not valid UTF-8.
      default: safe += c >= ' ' && c < 0x7f ? c : '?';
    }
  }
  return safe;
}

void Svg::rect(const Box& box, std::string_view fill, std::string_view title,
               std::string_view css_class) {
  body_ += fmt::format(R"(<rect{} x="{:.2f}" y="{:.2f}" width="{:.3f}" height="{:.2f}" fill="{}")",
                       class_attribute(css_class), box.x, box.y, box.width, box.height, fill);
  body_ += title.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", xml_text(title));
}

void Svg::circle(double x, double y, double radius, std::string_view fill,
                 std::string_view css_class) {
  body_ += fmt::format("<circle{} cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" fill=\"{}\"/>\n",
                       class_attribute(css_class), x, y, radius, fill);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke,
               std::string_view css_class) {
  body_ += fmt::format(
      "<line{} x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\"/>\n",
      class_attribute(css_class), x1, y1, x2, y2, stroke);
}

void Svg::text(double x, double y, std::string_view text, Anchor anchor) {
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                       anchors[static_cast<std::size_t>(anchor)], xml_text(text));
}

void Svg::title_across(double left, double right, double y, std::string_view title) {
  body_ += fmt::format(
      "<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#555555\">{}"
      "</text>\n",
      (left + right) / 2, y, xml_text(title));
}

void Svg::title_upwards(double x, double top, double bottom, std::string_view title) {
  const double y = (top + bottom) / 2;
  body_ += fmt::format(
      "<text class=\"axis\" x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\" fill=\"#555555\" "
      "transform=\"rotate(-90 {0:.1f} {1:.1f})\">{2}</text>\n",
      x, y, xml_text(title));
}

std::string Svg::str(std::string_view title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{3}</svg>\n",
      width_, height_, xml_text(title), body_);
}

Axis::Axis(Kind kind, double low, double high, double begin, double end)
    : kind_(kind), low_(low), high_(high), begin_(begin), end_(end) {}

double Axis::operator()(double value) const {
  if (!(high_ > low_)) return begin_;
  const double share = kind_ == Kind::linear ? (value - low_) / (high_ - low_)
                                             : std::log(value / low_) / std::log(high_ / low_);
  return begin_ + share * (end_ - begin_);
}

std::vector<double> Axis::ticks() const {
  constexpr double steps = 6;
  constexpr double rounding = 1e-9;
  std::vector<double> values;
  if (!(high_ > low_)) return values;
  const bool linear = kind_ == Kind::linear;
  const double step = linear ? round_step((high_ - low_) / steps) : 1;
  const double first = (linear ? low_ : std::log10(low_)) / step;
  const double last = (linear ? high_ : std::log10(high_)) / step;
  const auto end = static_cast<int>(std::floor(last + rounding));
  for (auto k = static_cast<int>(std::ceil(first - rounding)); k <= end; ++k) {
    values.push_back(linear ? k * step : std::pow(10.0, k));
  }
  return values;
}

}  // namespace espalier::internal
