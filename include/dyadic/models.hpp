// All models of the library.
#pragma once
#include "dyadic/models/depth_attention.hpp"
#include "dyadic/models/full_bandwidth.hpp"
#include "dyadic/models/gru.hpp"
#include "dyadic/models/gru_memory.hpp"
#include "dyadic/models/latent_recurrent.hpp"
#include "dyadic/models/looped_transformer.hpp"
#include "dyadic/models/lstm.hpp"
#include "dyadic/models/parallel_recursive_lstm.hpp"
#include "dyadic/models/recurrent_transformer.hpp"
#include "dyadic/models/rnn.hpp"
#include "dyadic/models/simple_attention.hpp"
#include "dyadic/models/transformer.hpp"
