// Calls what the stand-in does not model: the program stops with the name of the call.
#include "check.hpp"

int main() {
  char name[32] = "";
  cudaDeviceGetPCIBusId(name, sizeof name, 0);
  std::printf("went on: %s\n", name);
}
