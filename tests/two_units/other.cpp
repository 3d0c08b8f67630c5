#include "all.hpp"

int other();
int other() { return DYADIC_VERSION; }
