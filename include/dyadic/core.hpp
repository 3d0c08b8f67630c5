// dyadic without an engine: axes, tensors, expressions, graphs, passes and plans. Needs no third-party header. Printing is extra:
// graph/print.hpp and plan/print.hpp.
#pragma once
#include "dyadic/version.hpp"

// Named one by one, the lowest first: compilers print the chain of includes with every error.
#include "dyadic/axes/axis.hpp"
#include "dyadic/axes/bind.hpp"
#include "dyadic/axes/error.hpp"
#include "dyadic/tensor/shape.hpp"
#include "dyadic/tensor/view.hpp"
#include "dyadic/tensor/tensor.hpp"
#include "dyadic/expr/expr.hpp"
#include "dyadic/expr/functions.hpp"
#include "dyadic/graph/scan.hpp"
#include "dyadic/graph/carry.hpp"
#include "dyadic/graph/repeat.hpp"
#include "dyadic/graph/memory.hpp"
#include "dyadic/graph/module.hpp"
#include "dyadic/graph/source.hpp"
#include "dyadic/graph/trace.hpp"
#include "dyadic/plan/storage.hpp"
#include "dyadic/passes/cost.hpp"
#include "dyadic/passes/match_params.hpp"
#include "dyadic/passes/memory.hpp"
#include "dyadic/passes/parameter_count.hpp"
#include "dyadic/passes/program.hpp"
