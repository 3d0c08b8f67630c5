// Breaks a rule and ends without asking: the machine must make it fail, and say why.
#include "device_memory.hpp"
#include "launch.hpp"

int main() {
  using namespace ptx_machine;
  launch_request r;
  r.kernel = "reads_nothing";
  r.body = [](lane& l) {
    int value = 0;
    l.load(space::global, 64, &value, sizeof value, {});
  };
  return run_launch(r) ? 1 : 0;
}
