// Includes what other.cpp includes: a definition that is not inline would be there twice.
#include "all.hpp"

int other();
int main() { return other() == DYADIC_VERSION ? 0 : 1; }
