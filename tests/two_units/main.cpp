// Includes what other.cpp and hostile.cpp include: a definition that is not inline would be there twice.
#include "all.hpp"

int other();
int hostile();
int main() { return other() == DYADIC_VERSION && hostile() == DYADIC_VERSION ? 0 : 1; }
