// The library: core.hpp, cpu.hpp and nn.hpp. Models, training, decoding and files are headers of their own: models.hpp, train/trainer.hpp,
// decode/decoder.hpp, io/safetensors.hpp.
#pragma once
#include "dyadic/core.hpp"
#include "dyadic/cpu.hpp"
#include "dyadic/nn.hpp"
