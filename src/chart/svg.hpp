// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// Replaces what XML gives a meaning, and bytes that it does not allow.
std::string xml_text(std::string_view text);

/// A picture that is put together element by element; all lengths are pixels from the top left. It
/// needs no style sheet, so that it can stand in a page or in a file of its own.
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

  /// Draws a filled rectangle; the title is shown by browsers under the mouse, the class is for
  /// those who count or restyle. Both may be empty.
  void rect(const Box& box, std::string_view fill, std::string_view title = "",
            std::string_view css_class = "");
  void circle(double x, double y, double radius, std::string_view fill,
              std::string_view css_class = "");
  void line(double x1, double y1, double x2, double y2, std::string_view stroke);
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::start);

  /// Returns the svg element; `title` is read aloud in place of the picture.
  std::string str(std::string_view title) const;

 private:
  double width_;
  double height_;
  std::string body_;
};

/// Maps values to pixels, linearly or by their logarithms.
class Axis {
 public:
  enum class Kind { linear, logarithmic };

  /// Values from `low` to `high` go to pixels from `begin` to `end`; logarithms need low > 0. Where
  /// low = high, all go to `begin`.
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
