// Modules: what models are made of.
#pragma once
#include "dyadic/nn/attention_projections.hpp"
#include "dyadic/nn/dropout.hpp"
#include "dyadic/nn/embedding.hpp"
#include "dyadic/nn/gelu_mlp.hpp"
#include "dyadic/nn/gru_cell.hpp"
#include "dyadic/nn/layer_norm.hpp"
#include "dyadic/nn/linear.hpp"
#include "dyadic/nn/lstm_cell.hpp"
#include "dyadic/nn/rms_norm.hpp"
#include "dyadic/nn/squared_relu_mlp.hpp"
#include "dyadic/nn/swiglu.hpp"
