// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// Replaces characters with a meaning in XML, and bytes that XML does not allow.
std::string xml_text(std::string_view text);

/// A picture that is built element by element. All lengths are in pixels, and all positions count
/// from the top left corner. It does not need a style sheet, so it can be part of a page or a
/// separate file.
class Svg {
 public:
  struct Box {
    double x;
    double y;
    double width;
    double height;
  };
  enum class Anchor { start, middle, end };

  Svg(double width, double height) : width_(width), height_(height) {}

  /// Draws a filled rectangle. Browsers show the title under the mouse. Tests and style sheets find
  /// the rectangle by its class. Title and class may be empty.
  void rect(const Box& box, std::string_view fill, std::string_view title = "",
            std::string_view css_class = "");
  void circle(double x, double y, double radius, std::string_view fill,
              std::string_view css_class = "");
  void line(double x1, double y1, double x2, double y2, std::string_view stroke,
            std::string_view css_class = "");
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::start);

  /// Draws the title of a horizontal axis, centred between two positions, and of a vertical axis.
  void title_across(double left, double right, double y, std::string_view title);
  void title_upwards(double x, double top, double bottom, std::string_view title);

  /// Returns the svg element. Screen readers read `title` in place of the picture.
  std::string str(std::string_view title) const;

 private:
  double width_;
  double height_;
  std::string body_;
};

/// Maps values to pixels, linearly or logarithmically.
class Axis {
 public:
  enum class Kind { linear, logarithmic };

  /// Maps values from `low` to `high` to pixels from `begin` to `end`. A logarithmic axis needs low
  /// > 0. If low = high, all values map to `begin`.
  Axis(Kind kind, double low, double high, double begin, double end);

  double operator()(double value) const;
  /// Returns about four round values within the range, or each power of ten.
  std::vector<double> ticks() const;

 private:
  Kind kind_;
  double low_;
  double high_;
  double begin_;
  double end_;
};

}  // namespace espalier::internal
