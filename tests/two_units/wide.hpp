// What wide.cpp gives and takes.
#pragma once
#include "dyadic/tensor/tensor.hpp"

struct row : dyadic::axis<> {};
struct column : dyadic::axis<> {};
dyadic::tensor<dyadic::axes<row, column>> make_wide();
float sum_wide(dyadic::tensor<dyadic::axes<row, column>> x);
