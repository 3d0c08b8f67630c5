// Every public header that exists.
#pragma once
#include "dyadic/version.hpp"
#if __has_include("dyadic/dyadic.hpp")
#include "dyadic/dyadic.hpp"
#endif
#if __has_include("dyadic/models.hpp")
#include "dyadic/models.hpp"
#endif
#include "dyadic/io/safetensors_writer.hpp"
