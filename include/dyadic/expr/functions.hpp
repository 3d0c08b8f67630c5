// What expressions can be made of: operators, the functions of ops/, and functions composed of them.
#pragma once
#include "dyadic/expr/functions/concatenate.hpp"
#include "dyadic/expr/functions/cross_entropy.hpp"
#include "dyadic/expr/functions/dropout.hpp"
#include "dyadic/expr/functions/mean.hpp"
#include "dyadic/expr/functions/normalize.hpp"
#include "dyadic/expr/functions/operators.hpp"
#include "dyadic/expr/functions/outer.hpp"
#include "dyadic/expr/functions/rename.hpp"
#include "dyadic/expr/functions/rope.hpp"
#include "dyadic/expr/functions/slice.hpp"
#include "dyadic/expr/functions/variance.hpp"
#include "dyadic/expr/ops/all.hpp"
