// The CUDA engine: maps and rows of a program as kernels made from the signatures that the CPU's are made from, on a stream, as one CUDA
// graph. For .cu files. Loops, folds and tiled products have no CUDA kernels yet: programs with them do not bind.
#pragma once
#include "dyadic/core.hpp"
#include "dyadic/exec/cuda_bound.hpp"
