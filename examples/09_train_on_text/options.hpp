// The command line of the demo.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

struct options {
  std::string text, out = ".";
  double seconds = 75;             ///< training time of the slower model, both at once; ignored when steps are given
  std::int64_t steps = 0;
  std::int64_t held_out = 131072;  ///< bytes at the end that are never trained on
  std::int64_t xz_bytes = 0;       ///< what xz -9 made of those bytes; 0: not compared
};

inline options parse(int argc, char** argv) {
  options o;
  auto usage = [&] {
    std::fprintf(stderr, "usage: %s --text FILE [--out FOLDER] [--seconds S | --steps N] [--held-out BYTES] [--xz-bytes N]\n", argv[0]);
    std::exit(2);
  };
  for (int i = 1; i < argc; ++i) {
    std::string const key = argv[i];
    if (i + 1 >= argc) usage();
    char const* value = argv[++i];
    if (key == "--text") o.text = value;
    else if (key == "--out") o.out = value;
    else if (key == "--seconds") o.seconds = std::atof(value);
    else if (key == "--steps") o.steps = std::atoll(value);
    else if (key == "--held-out") o.held_out = std::atoll(value);
    else if (key == "--xz-bytes") o.xz_bytes = std::atoll(value);
    else usage();
  }
  if (o.text.empty()) usage();
  return o;
}
