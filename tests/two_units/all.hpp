// Every public header.
#pragma once
#include "dyadic/version.hpp"

#include "dyadic/core.hpp"
#include "dyadic/cpu.hpp"
#include "dyadic/decode/decoder.hpp"
#include "dyadic/dyadic.hpp"
#include "dyadic/graph/print.hpp"
#include "dyadic/interop/eigen.hpp"
#include "dyadic/io/safetensors.hpp"
#include "dyadic/io/safetensors_writer.hpp"
#include "dyadic/io/weights.hpp"
#include "dyadic/models.hpp"
#include "dyadic/nn.hpp"
#include "dyadic/plan/print.hpp"
#include "dyadic/train/trainer.hpp"
