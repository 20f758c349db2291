// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/generators.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "matrix/elasticity_problem.hpp"
#include "matrix/grid_problems.hpp"
#include "matrix/irregular_problem.hpp"
#include "support/expect_equal.hpp"
#include "support/expect_error.hpp"

namespace espalier {
namespace {

using support::expect_equal;
using support::expect_error;

TEST(Generators, SpecsNameTheProblems) {
  expect_equal(generate_matrix("laplace2d:5"), laplace2d(5));
  expect_equal(generate_matrix("laplace3d:4"), laplace3d(4));
  expect_equal(generate_matrix("stencil27:3"), stencil27(3));
  expect_equal(generate_matrix("elasticity3d:2x3x1"), elasticity3d(2, 3, 1));
  expect_equal(generate_matrix("elasticity3d:2"), elasticity3d(2, 2, 2));
  expect_equal(generate_matrix("irregular2d:40"), irregular2d(40));
}

TEST(Generators, ASpecIsKnownByItsName) {
  for (const char* spec : {"laplace2d:5", "laplace2d:", "laplace2d", "irregular2d:x"}) {
    EXPECT_TRUE(is_generator_spec(spec)) << spec;
  }
  for (const char* file : {"", "laplace2d.mtx", "a:5", "laplace2", "./laplace2d:5", ":5"}) {
    EXPECT_FALSE(is_generator_spec(file)) << file;
  }
}

TEST(Generators, BadSpecsAreToldWhatIsExpected) {
  for (const char* spec : {"laplace2d", "laplace2d:", "laplace2d:0", "laplace2d:-3", "laplace2d:+3",
                           "laplace2d: 3", "laplace2d:3 ", "laplace2d:3x3", "laplace2d:3.5",
                           "laplace2d:46341", "laplace2d:99999999999999999999"}) {
    expect_error<UsageError>([&] { generate_matrix(spec); },
                             {spec, "laplace2d:M", "M from 1 to 46340"});
  }
  for (const char* spec :
       {"elasticity3d:", "elasticity3d:2x", "elasticity3d:2x2", "elasticity3d:2x2x",
        "elasticity3d:2x0x2", "elasticity3d:2x2x2x2", "elasticity3d:2X2X2", "elasticity3d:900",
        "elasticity3d:1x1x357913941", "elasticity3d:2000000000x2000000000x2000000000"}) {
    expect_error<UsageError>([&] { generate_matrix(spec); },
                             {spec, "elasticity3d:XxYxZ", "below 2^31"});
  }
  expect_error<UsageError>([] { generate_matrix("laplace3d:1291"); }, {"1 to 1290"});
  expect_error<UsageError>([] { generate_matrix("stencil27:1291"); }, {"1 to 1290"});
  expect_error<UsageError>([] { generate_matrix("irregular2d:2147483648"); }, {"2147483647"});
  expect_error<UsageError>([] { generate_matrix("poisson:3"); },
                           {"'poisson:3'", "laplace2d:M", "elasticity3d:XxYxZ"});
}

}  // namespace
}  // namespace espalier
