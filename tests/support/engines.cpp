#include "support/engines.hpp"

DYADIC_TEST_ENGINES(template, float)
DYADIC_TEST_ENGINES(template, double)
